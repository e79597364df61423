/** Makes hosts with a process in one, says so, and does not clean up: `node hosts.program.js wait|throw`. */
import { spawn } from "node:child_process";
import { makeHosts } from "./hosts.ts";

const hosts = makeHosts(2);
spawn("ip", ["netns", "exec", hosts.names[1] as string, "sleep", "60"], { stdio: "ignore" });
while (hosts.pids().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
console.log(`pids ${hosts.pids().join(" ")}`);
if (process.argv[2] === "throw") throw new Error("as a test that fails");
setInterval(() => {}, 1000); // until a signal comes
