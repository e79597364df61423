/** A module that is never loaded: it says that it has begun, and waits for what does not come. */
import { BroadcastChannel } from "node:worker_threads";

const channel = new BroadcastChannel("tundish-test-endless");
channel.postMessage("begun");
channel.close();
await new Promise<never>(() => {});
export const never = (): void => {};
