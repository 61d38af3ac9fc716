/**
 * Sends captures of 10 MB back to back from a separate process, on a start signal. It runs at low
 * priority and sends whole bodies, because another machine would do this in production.
 */
import { Agent, request } from "node:http";
import { constants, setPriority } from "node:os";
import { createDrifting } from "./time-machine-data.js";

setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const [url = "", token = "", query = "", objects = "20000", captures = "40"] = process.argv.slice(2);
const { document, drift } = createDrifting(Number(objects));
const bodies = Array.from({ length: Number(captures) }, () => {
	drift();
	return Buffer.from(JSON.stringify({ saved_query_id: query, result_data: document }));
});
process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
const agent = new Agent({ keepAlive: true });
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
const postCapture = (body: Buffer) =>
	new Promise<void>((resolve, reject) => {
		const sent = request(`${url}/api/time-machine/capture/`, { agent, method: "POST", headers }, (answer) => {
			let text = "";
			answer.on("data", (piece: Buffer) => {
				text += piece.toString();
			});
			answer.once("end", () => {
				if (text.includes("snapshot_id")) resolve();
				else reject(new Error(`capture: ${answer.statusCode} ${text.slice(0, 300)}`));
			});
		});
		sent.once("error", reject);
		sent.end(body);
	});
for (const body of bodies) await postCapture(body);
process.exit(0);
