/** The simulated automation server in tests of launches: its templates and jobs. */
import type { Body, Rig } from "./automation.ts";

const ASKS = ["variables", "limit", "job_type", "inventory", "credential"];

/** Takes back the faults and template changes of a test. */
export async function resetLaunchLab(rig: Rig): Promise<void> {
	rig.lab.clearFaults();
	await rig.lab.control("grant_tokens");
	await rig.lab.control("template", { id: 22, asks: ASKS, jobType: "run" });
	await rig.lab.control("template", { id: 9, asks: ASKS });
}

/** The jobs of a request, wherever they came from. */
export async function listRequestJobs(rig: Rig, request: Body) {
	return (await rig.lab.jobs()).filter(({ extra_vars }) => JSON.parse(String(extra_vars)).request_id === request.id);
}
