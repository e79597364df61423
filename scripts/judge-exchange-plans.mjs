// Judges plans of exchanges by the simulator (packages/tundish-bench/src/traffic/planned.ts), and prints how far what they choose is from the best discipline.
//
//   npm run build && node scripts/judge-exchange-plans.mjs [number of drawn cases] [first seed]
//
// First the machines of the paper and networks like measured ones, a line each; then networks and loads drawn from wide ranges, even seeds
// from the first one on, and of these the ones where the plan takes more than 10 % longer.
const { drawnCase, judgeExchange, namedCases } = await import("../dist/packages/tundish-bench/src/traffic/planned.js");

const [count = "100", first = "2"] = process.argv.slice(2);
const percent = (share) => `${(100 * share).toFixed(1)} %`;

function lineOf({ of, discipline, best, excess, eager, predicted, simulated }) {
  const { name, nodes, pes, pattern, blockBytes, seed } = of;
  const chosen = `${discipline}${discipline === best ? "" : `, best ${best}`}`;
  const numbers = `${percent(excess - 1)} over the best, eager ${percent(eager - 1)}, predicted ${(predicted / simulated).toFixed(2)} x`;
  return `${name}, ${pes} PEs on ${nodes} nodes, ${pattern}, ${blockBytes} B, seed ${seed}: ${chosen}; ${numbers}`;
}

function summaryOf(judged) {
  const at = (list, share) =>
    list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(share * list.length))];
  const within = judged.filter(({ excess }) => excess <= 1.1).length;
  const text = (list) => `median ${percent(at(list, 0.5) - 1)}, worst ${percent(at(list, 1) - 1)}`;
  const mean = (list) => percent(Math.exp(list.reduce((sum, one) => sum + Math.log(one), 0) / list.length) - 1);
  const [plans, eager] = [judged.map(({ excess }) => excess), judged.map((one) => one.eager)];
  const ratios = judged.map(({ predicted, simulated }) => predicted / simulated);
  const quartiles = [0.25, 0.5, 0.75].map((share) => at(ratios, share).toFixed(2)).join(", ");
  return [
    `${within} of ${judged.length} within 10 % of the best; ${text(plans)}, mean ${mean(plans)}`,
    `eager alone: ${judged.filter((one) => one.eager <= 1.1).length} within 10 %; ${text(eager)}, mean ${mean(eager)}`,
    `predicted by simulated time of what was chosen, quartiles: ${quartiles}`,
  ].join("\n");
}

const named = namedCases().map(judgeExchange);
for (const one of named) console.log(lineOf(one));
console.log(`\n${summaryOf(named)}\n`);
const drawn = Array.from({ length: Number(count) }, (_, i) => judgeExchange(drawnCase(Number(first) + 2 * i)));
for (const one of drawn) if (one.excess > 1.1) console.log(lineOf(one));
if (drawn.length > 0) console.log(`\n${summaryOf(drawn)}`);
