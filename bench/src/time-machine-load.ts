/**
 * Captures of 10 MB one after another, sent from a process of its own so that nobody's measuring waits for their making. Begins when it is told to.
 * Elsewhere another machine would send them: so that this takes no processor from what is measured, it sends with what the others leave.
 */
import { constants, setPriority } from "node:os";
import { createDrifting } from "./time-machine-data.js";

setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const [url = "", token = "", query = "", objects = "20000", captures = "20"] = process.argv.slice(2);
const { document, drift } = createDrifting(Number(objects));
const bodies = Array.from({ length: Number(captures) }, () => {
	drift();
	return Buffer.from(JSON.stringify({ saved_query_id: query, result_data: document }));
});
process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
for (const body of bodies) {
	const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
	const response = await fetch(`${url}/api/time-machine/capture/`, { method: "POST", headers, body });
	const text = await response.text();
	if (!text.includes("snapshot_id")) throw new Error(`capture: ${response.status} ${text.slice(0, 300)}`);
}
process.exit(0);
