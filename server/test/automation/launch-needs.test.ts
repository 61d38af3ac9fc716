/** Requirements of a launch are read from the server when a template is saved, and at execute. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { API, type Body, REQUESTS, type Rig, startRig } from "../support/automation.ts";

let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
});
afterAll(() => rig.close());
afterEach(() => rig.lab.setFaults({ hang: null }));

let serial = 80;
/** A template of the lab that takes rows. */
async function createServerTemplate(more: Body): Promise<number> {
	const id = serial++;
	const common = { name: `Needs ${id}`, playbook: "rows.yml", simultaneous: true, asks: ["variables"] };
	await rig.lab.control("template", { id, ...common, ...more });
	return id;
}
const createQuestion = (variable: string, required: boolean) => ({
	variable,
	question_name: variable,
	question_description: "",
	type: "text",
	required,
	choices: [],
	default: "",
	min: 0,
	max: 100,
});
const createSurvey = (...spec: Body[]) => ({ surveyEnabled: true, survey: { name: "s", description: "", spec } });

const saveTemplate = (id: number, more: Body = {}) =>
	rig.alice.api.post(`${API}templates/`, {
		name: `Template of ${id}`,
		automation_connection: rig.connection,
		automation_job_template_id: id,
		schema: [{ name: "name", field_type: "text" }],
		...more,
	});
async function executeTemplate(template: Body) {
	const request = await rig.request(template, { input_data: [{ name: "a" }] });
	const answer = await rig.alice.api.post(`${REQUESTS}${request.id}/execute/`);
	const jobs = await rig.listExecutions(request);
	return { ...answer, executions: jobs.length };
}

describe("a template whose launch would lack something", () => {
	it.each<[string, () => Body, string, RegExp]>([
		[
			"answers to required questions",
			() => createSurvey(createQuestion("tenant", true), createQuestion("note", false), createQuestion("site", true)),
			"survey_answers_missing",
			/survey that requires "tenant", "site"\. Give them as constants/,
		],
		["an inventory", () => ({ inventory: null }), "inventory_missing", /has no inventory.*Choose an inventory/],
		[
			"the password of its credential",
			// The fourth credential of the lab asks for its password.
			() => ({ credentials: [4] }),
			"passwords_missing",
			/asks for "ssh_password" at launch.*Store them in the credential/,
		],
	])("warns of %s when it is saved, and is refused when it is executed", async (_what, more, code, message) => {
		const saved = await saveTemplate(await createServerTemplate(more()));
		expect(saved.status).toBe(201);
		const gaps = saved.body.warnings.filter((one: Body) => one.code !== "only_constants");
		expect(gaps).toEqual([{ code, message: expect.stringMatching(message) }]);
		const { status, body, executions } = await executeTemplate(saved.body);
		expect([status, body]).toEqual([400, { template: [expect.stringMatching(message)] }]);
		expect(executions).toBe(0);
	});

	it("warns no more once its constants give the answers", async () => {
		const saved = await saveTemplate(await createServerTemplate(createSurvey(createQuestion("tenant", true))));
		expect(saved.body.warnings).toHaveLength(1);
		const changed = await rig.alice.api.patch(`${API}templates/${saved.body.id}/`, {
			variable_mappings: { tenant: "prod" },
		});
		expect([changed.status, changed.body.warnings]).toEqual([200, []]);
		expect((await executeTemplate(changed.body)).status).toBe(202);
	});

	it("warns of deleted templates of a workflow's nodes", async () => {
		const node = { id: 95, identifier: "gone", template: 9_999, success: [], failure: [], always: [], extra: {} };
		const id = await createServerTemplate({ kind: "workflow", nodes: [node] });
		const saved = await saveTemplate(id, { kind: "workflow" });
		expect(saved.body.warnings).toEqual([
			{ code: "node_templates_missing", message: expect.stringMatching(/nodes whose template was deleted: "95"/) },
		]);
		expect((await executeTemplate(saved.body)).status).toBe(400);
	});
});

describe("a template that lacks nothing", () => {
	it("is saved without a warning", async () => {
		const saved = await saveTemplate(await createServerTemplate({}));
		expect([saved.status, saved.body.warnings]).toEqual([201, []]);
		expect((await rig.alice.api.get(`${API}templates/${saved.body.id}/`)).body.warnings).toBeUndefined();
	});
});

it("a check that gives up says so, and the template is saved", async () => {
	const id = await createServerTemplate({});
	rig.lab.setFaults({ hang: { match: `job_templates/${id}/` } });
	const saved = await saveTemplate(id);
	expect(saved.status).toBe(201);
	expect(saved.body.warnings).toEqual([
		{
			code: "server_not_checked",
			message: expect.stringMatching(/could not be asked .* did not answer within 5 s\..* checks it again/),
		},
	]);
});
