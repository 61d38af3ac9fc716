/** Rows and surveys: no question takes a list of rows, and that is said before a launch. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { API, REQUESTS, type Rig, startRig } from "../support/automation.ts";

const FIELD = "automation_job_template_id";
const SURVEYED = 60;
let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
});
afterAll(() => rig.close());
beforeEach(async () => {
	rig.lab.clearFaults();
	await rig.lab.control("template", { id: SURVEYED, name: "Plain", playbook: "rows.yml", asks: ["variables"] });
	await rig.lab.control("template", { id: SURVEYED, surveyEnabled: false, survey: null });
});

/** A survey that asks for the rows. */
async function surveyRows(asks: readonly string[] = []): Promise<void> {
	const question = { type: "textarea", question_name: "Rows", question_description: "", variable: "rows" };
	const survey = { name: "", description: "", spec: [{ ...question, required: true }] };
	await rig.lab.control("template", { id: SURVEYED, survey, surveyEnabled: true, asks });
}
const buildTemplateBody = (more: object = {}) => ({
	name: "Of the survey",
	automation_connection: rig.connection,
	[FIELD]: SURVEYED,
	schema: [{ name: "name", field_type: "text" }],
	...more,
});
const REFUSED = /survey of the template "Plain".* "?rows"?: no question of a survey takes a list of rows/;

describe("a template of the server whose survey asks for the rows", () => {
	it.each([[[]], [["variables"]]])("is noted in a draft, and refused when it is saved (asks %j)", async (asks) => {
		await surveyRows(asks);
		const draft = await rig.alice.api.post(`${API}templates/from-server/`, { [FIELD]: SURVEYED });
		expect(draft.body.notes).toContainEqual({
			code: "rows_not_taken",
			variable: null,
			message: expect.stringMatching(REFUSED),
		});
		const saved = await rig.alice.api.post(`${API}templates/`, buildTemplateBody());
		expect([saved.status, saved.body]).toEqual([400, { [FIELD]: [expect.stringMatching(REFUSED)] }]);
		const other = await rig.template();
		const changed = await rig.alice.api.patch(`${API}templates/${other.id}/`, { [FIELD]: SURVEYED });
		expect([changed.status, Object.keys(changed.body)]).toEqual([400, [FIELD]]);
		const sheet = { name: "S", variable: "lines", columns: [{ name: "a", field_type: "text" }] };
		const sheets = await rig.alice.api.post(`${API}templates/`, buildTemplateBody({ schema: [], sheets: [sheet] }));
		expect(sheets.status).toBe(asks.length === 0 ? 400 : 201);
	});

	it("is refused when a request is executed, should the survey come later", async () => {
		const request = await rig.request(await rig.template({ [FIELD]: SURVEYED }));
		await surveyRows(["variables"]);
		const { status, body: refused } = await rig.alice.api.post(`${REQUESTS}${request.id}/execute/`);
		expect([status, refused]).toEqual([400, { input_data: [expect.stringMatching(REFUSED)] }]);
		expect((await rig.lab.jobs()).filter(({ job_template }) => job_template === SURVEYED)).toEqual([]);
	});

	it("can be saved where no rows are to reach it, or the server does not answer", async () => {
		await surveyRows();
		expect(
			(await rig.alice.api.post(`${API}templates/`, buildTemplateBody({ name: "No rows", schema: [] }))).status,
		).toBe(201);
		rig.lab.setFaults({ database_down: {} });
		expect((await rig.alice.api.post(`${API}templates/`, buildTemplateBody({ name: "Unasked" }))).status).toBe(201);
	});

	it("keeps nobody waiting who saves while the server hangs", async () => {
		rig.lab.setFaults({ hang: {} });
		expect((await rig.alice.api.post(`${API}templates/`, buildTemplateBody({ name: "Hanging" }))).status).toBe(201);
	});
});

describe("a template of which only constants arrive at the job", () => {
	const MESSAGE = /asks for "tenant", "note", and rows arrive only in "rows"\. .* gets only constants/;
	const question = { type: "text", question_description: "", default: "shop", min: 0, max: 50, choices: [] };
	const createQuestion = (variable: string, required: boolean) => ({
		...question,
		question_name: variable,
		variable,
		required,
	});
	const surveyNames = () =>
		rig.lab.control("template", {
			id: SURVEYED,
			surveyEnabled: true,
			survey: { name: "", description: "", spec: [createQuestion("tenant", true), createQuestion("note", false)] },
		});
	const saveTemplate = (more: object) => rig.alice.api.post(`${API}templates/`, buildTemplateBody(more));
	const tenantColumn = { name: "tenant", field_type: "text" };

	it("says so in a draft and when it is saved, where the survey asks for its columns or other names", async () => {
		await surveyNames();
		const draft = await rig.alice.api.post(`${API}templates/from-server/`, { [FIELD]: SURVEYED });
		expect(draft.body.notes).toContainEqual({
			code: "only_constants",
			variable: null,
			message: expect.stringMatching(MESSAGE),
		});
		const saved = await saveTemplate({ schema: [tenantColumn], variable_mappings: { tenant: "shop" } });
		expect([saved.status, saved.body.warnings]).toEqual([
			201,
			[{ code: "only_constants", message: expect.stringMatching(MESSAGE) }],
		]);
		const constants = { variable_mappings: { tenant: "shop", note: "" }, schema: [{ name: "a", field_type: "text" }] };
		const changed = await rig.alice.api.patch(`${API}templates/${saved.body.id}/`, constants);
		expect([changed.status, changed.body.warnings]).toEqual([200, []]);
	});

	it("says so where it has no columns, with the names of its constants", async () => {
		const listMessages = async (variable_mappings: object) =>
			(await saveTemplate({ schema: [], variable_mappings })).body.warnings;
		const buildWarning = (names: string) => ({
			code: "only_constants",
			message: `There are no columns, so the job of "Plain" gets no rows. Only constants (variable_mappings) arrive: ${names}.`,
		});
		expect(await listMessages({ site: "dc1" })).toEqual([buildWarning('"site"')]);
		expect(await listMessages({})).toEqual([buildWarning("there are none")]);
	});
});
