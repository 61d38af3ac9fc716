/**
 * Launch prompts: values that a template sets, values that it lets the requester set, and refusals
 * of all others.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API, type Body, REQUESTS, type Rig, startRig } from "../support/automation.ts";

const TEMPLATES = `${API}templates/`;
/** A job template of the lab that asks for all prompts, and one that asks for rows only. */
const ASKS_ALL = 80;
const ASKS_ROWS = 81;
const WORKFLOW = 82;
const VALUES = {
	limit: "leaf101",
	job_tags: "ports",
	skip_tags: "slow",
	verbosity: 2,
	forks: 3,
	timeout: 600,
	diff_mode: true,
	labels: [4, 5],
	inventory: 2,
	execution_environment: 1,
};
const NAMES = Object.keys(VALUES);

let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
	const prompts = "limit tags skip_tags verbosity forks timeout diff_mode labels inventory execution_environment";
	const asks = ["variables", ...prompts.split(" ")];
	const base = { playbook: "rows.yml", simultaneous: true };
	await rig.lab.control("template", { id: ASKS_ALL, name: "Asks all", asks, ...base });
	await rig.lab.control("template", { id: ASKS_ROWS, name: "Asks rows", asks: ["variables"], ...base });
	await rig.lab.control("template", { id: WORKFLOW, name: "Steps", kind: "workflow", asks: ["variables", "limit"] });
});
afterAll(() => rig.close());

const postTemplate = (body: Body) =>
	rig.alice.api.post(TEMPLATES, {
		name: "Refused",
		automation_connection: rig.connection,
		automation_job_template_id: ASKS_ALL,
		...body,
	});
const postRequest = (template: Body, more: Body) =>
	rig.alice.api.post(REQUESTS, { template: template.id, title: "T", input_data: [{ name: "a" }], ...more });

/** The job of a request on the server. */
async function findJob(request: Body): Promise<Body> {
	await rig.execute(request);
	const { automation_job_id } = await rig.over(request);
	const answer = await fetch(`${rig.lab.url}/api/v2/jobs/${automation_job_id}/`, {
		headers: { authorization: `Bearer ${rig.lab.token}` },
	});
	return answer.json();
}

describe("the launch prompts of a template", () => {
	it("reach each of its jobs", async () => {
		const template = await rig.template({ automation_job_template_id: ASKS_ALL, ...VALUES });
		expect(template).toMatchObject({ ...VALUES, askable: [] });
		const { labels, ...plain } = VALUES;
		const job = await findJob(await rig.request(template));
		expect(job).toMatchObject(plain);
		expect(job.summary_fields.labels.results.map(({ id }: Body) => id)).toEqual(labels);
	});

	it("are absent where nothing sets them, and unset with null", async () => {
		const template = await rig.template({ automation_job_template_id: ASKS_ALL, limit: "leaf101" });
		expect(template).toMatchObject({ ...Object.fromEntries(NAMES.map((name) => [name, null])), limit: "leaf101" });
		const path = `${TEMPLATES}${template.id}/`;
		const { body } = await rig.alice.api.patch(path, { limit: null, askable: ["limit"] });
		expect(body).toMatchObject({ limit: null, askable: ["limit"] });
	});

	it.each(NAMES)("are refused when they are saved if the server does not ask for them: %s", async (name) => {
		const value = VALUES[name as keyof typeof VALUES];
		const set = await postTemplate({ automation_job_template_id: ASKS_ROWS, [name]: value });
		expect([set.status, set.body]).toEqual([400, { [name]: [expect.stringContaining('"Asks rows"')] }]);
		const open = await postTemplate({ automation_job_template_id: ASKS_ROWS, askable: [name] });
		expect([open.status, Object.keys(open.body)]).toEqual([400, ["askable"]]);
	});

	it.each([
		[{ verbosity: 6 }, "verbosity"],
		[{ forks: -1 }, "forks"],
		[{ labels: "a" }, "labels"],
		[{ limit: 7 }, "limit"],
		[{ diff_mode: "yes" }, "diff_mode"],
		[{ askable: ["credentials"] }, "askable.0"],
	])("are checked: case %$", async (fields, field) => {
		const { status, body } = await postTemplate(fields);
		expect([status, Object.keys(body)]).toEqual([400, [field]]);
	});

	it("are those of a workflow that its server's template asks for", async () => {
		const wrong = await postTemplate({ kind: "workflow", automation_job_template_id: WORKFLOW, forks: 3 });
		expect([wrong.status, Object.keys(wrong.body)]).toEqual([400, ["forks"]]);
		const right = await postTemplate({ kind: "workflow", automation_job_template_id: WORKFLOW, limit: "leaf101" });
		expect([right.status, right.body.limit]).toEqual([201, "leaf101"]);
	});
});

describe("the launch prompts of a request", () => {
	it("replace those of the template where it lets them be asked", async () => {
		const asked = { askable: ["limit", "verbosity"], limit: "leaf101", forks: 3 };
		const template = await rig.template({ automation_job_template_id: ASKS_ALL, ...asked });
		const request = await rig.request(template, { limit: "leaf102", verbosity: 1 });
		expect(request).toMatchObject({ limit: "leaf102", verbosity: 1, forks: null });
		expect(await findJob(request)).toMatchObject({ limit: "leaf102", verbosity: 1, forks: 3 });
		expect(await findJob(await rig.request(template))).toMatchObject({ limit: "leaf101", forks: 3 });
	});

	it("are refused under their names where the template does not", async () => {
		const template = await rig.template({ automation_job_template_id: ASKS_ALL, askable: ["limit"] });
		const { status, body } = await postRequest(template, VALUES);
		expect([status, Object.keys(body).sort()]).toEqual([400, NAMES.filter((name) => name !== "limit").sort()]);
		expect((await postRequest(template, { forks: null, limit: "leaf101" })).status).toBe(201);
		const request = await rig.request(template);
		const changed = await rig.alice.api.patch(`${REQUESTS}${request.id}/`, { forks: 2 });
		expect([changed.status, Object.keys(changed.body)]).toEqual([400, ["forks"]]);
		const allowed = await rig.alice.api.patch(`${REQUESTS}${request.id}/`, { limit: "leaf102" });
		expect([allowed.status, allowed.body.limit]).toEqual([200, "leaf102"]);
		const { body: history } = await rig.alice.api.get(`${REQUESTS}${request.id}/history/`);
		expect(history.results[1].changes).toEqual([{ path: "limit", before: null, after: "leaf102" }]);
	});

	it("name other unknown fields in a warning, and ignore them", async () => {
		const template = await rig.template();
		const { status, body } = await postRequest(template, { instance_groups: [1], limits: "leaf101" });
		expect([status, body.warnings]).toEqual([
			201,
			[{ code: "unknown_fields", message: expect.stringContaining("instance_groups, limits") }],
		]);
		const changed = await rig.alice.api.patch(`${REQUESTS}${body.id}/`, { title: "U", scm_branch: "main" });
		expect(changed.body.warnings[1].message).toContain("scm_branch");
	});

	it("do not launch a job if the server stops asking for them", async () => {
		await rig.lab.control("template", { id: 83, name: "Changes", playbook: "rows.yml", asks: ["variables", "limit"] });
		const request = await rig.request(await rig.template({ automation_job_template_id: 83, limit: "leaf101" }));
		await rig.lab.control("template", { id: 83, asks: ["variables"] });
		const { status, body } = await rig.alice.api.post(`${REQUESTS}${request.id}/execute/`);
		expect([status, body]).toEqual([400, { limit: [expect.stringContaining("does not ask")] }]);
	});

	it("are copied with the request", async () => {
		const template = await rig.template({ automation_job_template_id: ASKS_ALL, askable: ["limit"] });
		const request = await rig.request(template, { limit: "leaf102" });
		const { body } = await rig.alice.api.post(`${REQUESTS}${request.id}/copy/`, { rows: "all" });
		expect(body.limit).toBe("leaf102");
	});
});
