/**
 * Templates drafted from the survey of the server's template: columns, what they leave out, and
 * that a draft can be posted as it is.
 */
import { templateColumn } from "@weft/contracts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findTemplateProblems } from "../../src/areas/automation/templates/rules/columns.ts";
import { buildDraft } from "../../src/areas/automation/templates/rules/survey.ts";
import { API, type Rig, startRig } from "../support/automation.ts";

let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
});
afterAll(() => rig.close());

const DRAFT = `${API}templates/from-server/`;
const listCodes = (body: { notes: { code: string; variable: string | null }[] }) =>
	body.notes.map(({ code, variable }) => [code, variable]);

describe("a draft from the server", () => {
	it("has a column for each question, with its rules, and can be posted", async () => {
		const { alice, connection } = rig;
		const before = (await alice.api.get(`${API}templates/`)).body.count;
		const { status, body, text } = await alice.api.post(DRAFT, { automation_job_template_id: 16 });
		expect(status, text).toBe(200);
		expect(body.template).toMatchObject({
			name: "Survey",
			kind: "job",
			automation_connection: connection,
			automation_job_template_id: 16,
			variable_mappings: { env: "test" },
			schema: [
				{ name: "tenant", label: "Tenant", field_type: "text", required: true, min_length: 2, max_length: 8 },
				{ name: "vlan", field_type: "number", required: false, min: 1, max: 4094, default: 100 },
				{ name: "env", field_type: "enum", required: true, choices: ["prod", "test"], default: "test" },
				{ name: "sec", field_type: "password", required: false },
			],
		});
		expect(body.template.schema[0].default).toBeUndefined();
		expect(body.template.schema[3].default).toBeUndefined();
		expect(listCodes(body)).toEqual([
			["rows_not_taken", null],
			["constant_needed", "tenant"],
			["constant_given", "env"],
		]);
		expect((await alice.api.get(`${API}templates/`)).body.count).toBe(before);
		// Rows that would be dropped are refused; the server's template must ask for variables.
		const refused = await alice.api.post(`${API}templates/`, body.template);
		expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["automation_job_template_id"]]);
		await rig.lab.control("template", { id: 16, asks: ["variables"] });
		const made = await alice.api.post(`${API}templates/`, body.template);
		await rig.lab.control("template", { id: 16, asks: [] });
		expect(made.status, made.text).toBe(201);
		expect(made.body.schema).toEqual(body.template.schema.map((one: object) => expect.objectContaining(one)));
	});

	it("says where there is no survey, no such template, no server", async () => {
		const { alice, connection, lab } = rig;
		const workflow = await alice.api.post(DRAFT, { automation_job_template_id: 17, kind: "workflow" });
		expect(workflow.body).toMatchObject({ template: { kind: "workflow", schema: [], allow_check_mode: false } });
		expect(listCodes(workflow.body)).toEqual([["no_survey", null]]);
		const none = await alice.api.post(DRAFT, { automation_connection: connection, automation_job_template_id: 9999 });
		expect([none.status, Object.keys(none.body)]).toEqual([400, ["automation_job_template_id"]]);
		lab.setFaults({ too_large: { match: "/survey_spec/" } });
		expect((await alice.api.post(DRAFT, { automation_job_template_id: 16 })).status).toBe(502);
		lab.clearFaults();
	});

	it("is for those who may make templates and see the connection", async () => {
		const viewer = await rig.t.user("vera", ["Viewer"]);
		expect((await viewer.api.post(DRAFT, { automation_job_template_id: 16 })).status).toBe(403);
		const bob = await rig.t.user("bob", ["Operator"]);
		const hidden = await rig.alice.api.post(`${API}connections/`, {
			name: "Hidden",
			base_url: rig.lab.url,
			oauth_token: rig.lab.token,
		});
		const answer = await bob.api.post(DRAFT, {
			automation_connection: hidden.body.id,
			automation_job_template_id: 16,
		});
		expect([answer.status, Object.keys(answer.body)]).toEqual([400, ["automation_connection"]]);
	});
});

describe("whatever the survey", () => {
	const texts = fc.oneof(
		fc.string(),
		fc.constantFrom("", "a", "rows", "{{ x }}", "$encrypted$", "a\nb", "\0", "12", "x ".repeat(900)),
	);
	const question = fc.record({
		variable: fc.oneof(texts, fc.stringMatching(/^[a-z_]{1,8}$/)),
		question: texts,
		description: texts,
		type: fc.constantFrom("text", "textarea", "password", "multiplechoice", "multiselect", "integer", "float", "odd"),
		required: fc.boolean(),
		choices: fc.array(texts, { maxLength: 5 }),
		default: fc.oneof(texts, fc.integer(), fc.double(), fc.constant(null), fc.array(texts)),
		min: fc.option(fc.oneof(fc.integer({ min: -5, max: 20 }), fc.double({ noNaN: true, noDefaultInfinity: true }))),
		max: fc.option(fc.integer({ min: -5, max: 50_000 })),
	});
	const NONE = { lists: new Map(), patterns: new Map(), columns: new Map() };

	it("the draft's columns are right ones, and each question is a column or noted", () => {
		fc.assert(
			fc.property(fc.array(question, { maxLength: 8 }), fc.boolean(), (spec, variables) => {
				const template = { name: "T", asks: { variables }, survey_spec: { name: "", description: "", spec } };
				const draft = buildDraft(template as unknown as Parameters<typeof buildDraft>[0], "rows");
				for (const column of draft.columns) {
					const { data, error } = templateColumn.safeParse(column);
					expect(error).toBeUndefined();
					expect(data).toEqual(column);
					expect(JSON.stringify(column)).not.toMatch(/\\u0000/);
				}
				const variable_mappings = draft.constants;
				expect(
					findTemplateProblems({ schema: draft.columns, sheets: [], variable_mappings, expects: [] }, NONE),
				).toEqual({});
				const left = draft.notes.filter(({ code }) => code === "question_left_out").length;
				const rows = spec.filter((one) => one.variable === "rows").length;
				expect(draft.columns.length + left + rows).toBe(spec.length);
			}),
		);
	});
});
