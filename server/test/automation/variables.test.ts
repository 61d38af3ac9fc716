/** The variables of a job: those that the service sets, and names that a template cannot use. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API, EXECUTIONS, type Rig, startRig } from "../support/automation.ts";

let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
});
afterAll(() => rig.close());

describe("the mode of a run", () => {
	it.each([false, true])("is the variable dry_run, of which the server does not warn (%s)", async (dry) => {
		const request = await rig.request(await rig.template(), { check_mode: dry });
		const { id } = await rig.execute(request);
		const done = await rig.over(request);
		const job = (await rig.lab.jobs()).find((one) => one.id === done.automation_job_id);
		const variables = JSON.parse(String(job?.extra_vars));
		expect([variables.dry_run, Object.hasOwn(variables, "check_mode")]).toEqual([dry, false]);
		const { body } = await rig.alice.api.get(`${EXECUTIONS}${id}/output/`);
		expect(body.stdout).toMatch(/^\nPLAY \[Bulk rows\]/);
	});
});

describe("a template cannot set", () => {
	it.each([
		["dry_run", /set by the service/],
		["request_id", /set by the service/],
		["check_mode", /Ansible reserves this name/],
	])("%s", async (name, message) => {
		const body = { name: `Own ${name}`, automation_connection: rig.connection, automation_job_template_id: 22 };
		const constant = await rig.alice.api.post(`${API}templates/`, { ...body, variable_mappings: { [name]: true } });
		expect(constant.body).toEqual({ [`variable_mappings.${name}`]: [expect.stringMatching(message)] });
		const sheets = [{ name: "One", variable: name, columns: [{ name: "a", field_type: "text" }] }];
		const sheet = await rig.alice.api.post(`${API}templates/`, { ...body, sheets });
		expect(sheet.body).toEqual({ "sheets.0.variable": [expect.stringMatching(message)] });
	});
});
