/** A small neural network and its training, as for one thread. */
import { randomAt } from "./input.ts";

/** Two inputs, two hidden layers of `hidden` units (tanh), one output: above 0 is one class, below 0 the other. */
export class Network {
  /** Of each unit of a layer: its weights, then its bias. One layer after the other. */
  readonly weights: Float64Array;
  /** Sums over points: the loss by each weight, and the loss itself in the last element. */
  readonly gradient: Float64Array;
  readonly #hidden: number;
  readonly #one: Float64Array;
  readonly #two: Float64Array;
  readonly #backOne: Float64Array;
  /** Means of the gradients so far, and of their squares. */
  readonly #mean: Float64Array;
  readonly #square: Float64Array;
  #step = 0;

  /** It begins with the same weights everywhere. */
  constructor(hidden: number, weights?: Float64Array) {
    const length = 3 * hidden + (hidden + 1) * hidden + (hidden + 1);
    this.weights = weights ?? Float64Array.from({ length }, (_, i) => 1.6 * (randomAt(7, i) - 0.5));
    this.gradient = new Float64Array(length + 1);
    this.#mean = new Float64Array(length);
    this.#square = new Float64Array(length);
    this.#hidden = hidden;
    [this.#one, this.#two, this.#backOne] = [0, 1, 2].map(() => new Float64Array(hidden));
  }

  /** The output for a point; the units' values stay in #one and #two. */
  forward(x: number, y: number): number {
    const hidden = this.#hidden;
    const weights = this.weights;
    const one = this.#one;
    const two = this.#two;
    let w = 0;
    for (let i = 0; i < hidden; i++, w += 3) one[i] = Math.tanh(weights[w] * x + weights[w + 1] * y + weights[w + 2]);
    for (let i = 0; i < hidden; i++) {
      let sum = weights[w + hidden];
      for (let j = 0; j < hidden; j++) sum += weights[w + j] * one[j];
      two[i] = Math.tanh(sum);
      w += hidden + 1;
    }
    let out = weights[w + hidden];
    for (let j = 0; j < hidden; j++) out += weights[w + j] * two[j];
    return out;
  }

  /** Adds the gradient of the logistic loss of some points (x, y and class, 1 or -1) to zero. */
  addGradient(points: Float64Array): void {
    const hidden = this.#hidden;
    const weights = this.weights;
    const gradient = this.gradient.fill(0);
    const one = this.#one;
    const two = this.#two;
    const backOne = this.#backOne;
    const second = 3 * hidden; // where the weights of the second layer begin
    const last = second + (hidden + 1) * hidden;
    for (let p = 0; p < points.length; p += 3) {
      const margin = points[p + 2] * this.forward(points[p], points[p + 1]);
      gradient[gradient.length - 1] += Math.log1p(Math.exp(-margin));
      const back = -points[p + 2] / (1 + Math.exp(margin)); // the loss by the output
      backOne.fill(0);
      gradient[last + hidden] += back;
      for (let i = 0, w = second; i < hidden; i++, w += hidden + 1) {
        gradient[last + i] += back * two[i];
        const backTwo = back * weights[last + i] * (1 - two[i] * two[i]);
        gradient[w + hidden] += backTwo;
        for (let j = 0; j < hidden; j++) {
          gradient[w + j] += backTwo * one[j];
          backOne[j] += backTwo * weights[w + j];
        }
      }
      for (let i = 0, w = 0; i < hidden; i++, w += 3) {
        const by = backOne[i] * (1 - one[i] * one[i]);
        gradient[w] += by * points[p];
        gradient[w + 1] += by * points[p + 1];
        gradient[w + 2] += by;
      }
    }
  }

  /** The loss of the points whose gradient it has, summed. */
  get loss(): number {
    return this.gradient[this.weights.length];
  }

  /**
   * One step against the gradient of `count` points.
   *
   * Source: Adam (Kingma and Ba, 2015), algorithm 1.
   */
  descend(rate: number, count: number): void {
    const { weights, gradient } = this;
    const mean = this.#mean;
    const square = this.#square;
    this.#step++;
    const length = rate * (Math.sqrt(1 - 0.999 ** this.#step) / (1 - 0.9 ** this.#step));
    for (let w = 0; w < weights.length; w++) {
      const g = gradient[w] / count;
      mean[w] = 0.9 * mean[w] + 0.1 * g;
      square[w] = 0.999 * square[w] + 0.001 * g * g;
      weights[w] -= (length * mean[w]) / (Math.sqrt(square[w]) + 1e-8);
    }
  }
}
