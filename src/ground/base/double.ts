/**
 * 0 for a field that will hold other than small integers, such as a time. V8 stores -0 as it stores those; with 0 the first of
 * them would change the map of all objects of the class, and what was compiled for them would have to be compiled anew.
 */
export const DOUBLE_ZERO = -0;
