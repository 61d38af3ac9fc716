/**
 * The automation server repeats what it was sent: passwords of rows and the connection's token are
 * masked in each of its answers, before anything is stored, shown or sent on.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { API, type Body, EXECUTIONS, REQUESTS, type Rig, startRig } from "../support/automation.ts";

const TOKEN = "t0ken-of-the-lab-8c41";
/** Each part of it is searched for: a mask of one half is none. */
const SECRET = `Pl4nted "quoted" it's \\ ümlaut tail9end`;
const PARTS = ["Pl4nted", "tail9end", TOKEN];
const PYTHON = `[{'name': 'r1', 'password': 'Pl4nted "quoted" it\\'s \\\\ ümlaut tail9end'}]`;
const ASCII = `Pl4nted \\"quoted\\" it's \\\\ \\u00fcmlaut tail9end`;
const BROKEN = SECRET.replace(" it's", "\n      it's");
const WORDS = `Value ${PYTHON} for 'rows' expected to be a string. ${ASCII} ${BROKEN} Bearer ${TOKEN}`;

let rig: Rig;
let template: Body;
let sleeping: Body;
beforeAll(async () => {
	rig = await startRig({ lab: { token: TOKEN } });
	const schema = [
		{ name: "name", field_type: "text", required: true },
		{ name: "password", field_type: "password" },
		{ name: "rc", field_type: "number" },
	];
	template = await rig.template({ schema });
	sleeping = await rig.template({ schema, automation_job_template_id: 10, variable_mappings: { secs: 600 } });
});
afterAll(() => rig.close());
afterEach(() => rig.lab.clearFaults());

const createRequest = (of: Body = template) =>
	rig.request(of, { input_data: [{ name: "r1", password: SECRET, rc: 1 }] });
const setFaultAnswer = (match: string, status: number, body: unknown, more: object = {}) =>
	rig.lab.setFaults({ answer: { match, status, body, ...more } });
const readText = async (path: string) => (await rig.t.admin.api.get(path)).text;

async function startExecution(of: Body = sleeping) {
	const request = await createRequest(of);
	const { id } = await rig.execute(request);
	const execution = await rig.settle("it runs", async () => {
		const found = await rig.execution(id);
		return found.status === "running" ? found : null;
	});
	return { request, id, job: execution.automation_job_id as number };
}

/** All that is stored in the open, and all answers about the request. */
async function readAllText(request: Body): Promise<string> {
	const tables = await rig.t.pool.query(
		`select table_name as name from information_schema.tables
			where table_schema = 'public' and table_type = 'BASE TABLE'
			and (table_name like 'automation_%' or table_name in ('audit_log', 'notifications'))`,
	);
	const seen: string[] = [];
	for (const { name } of tables.rows) seen.push(JSON.stringify((await rig.t.pool.query(`select * from ${name}`)).rows));
	seen.push(await readText(REQUESTS), await readText(`${REQUESTS}${request.id}/`), await readText(EXECUTIONS));
	for (const { id } of await rig.listExecutions(request)) {
		for (const path of ["", "output/", "download-output/", "row-results/", "workflow-nodes/"]) {
			seen.push(await readText(`${EXECUTIONS}${id}/${path}`));
		}
	}
	return seen.join("\n");
}

async function expectMasked(request: Body): Promise<void> {
	const text = await readAllText(request);
	for (const part of PARTS) expect(text.split("\n").filter((line) => line.includes(part))).toEqual([]);
	expect(text).toContain("********");
}

describe("a secret that the server repeats is masked in", () => {
	it("the refusal of a launch", async () => {
		const request = await createRequest(sleeping);
		setFaultAnswer("/launch/", 400, { variables_needed_to_start: [WORDS, "'tenant' value missing"], limit: ["No"] });
		await rig.execute(request);
		const done = await rig.over(request);
		expect(done.launch_error).toMatch(
			/^variables_needed_to_start: Value \[\{'name': 'r1', 'password': '\*{8}'\}\] for 'rows'.*; 'tenant' value missing\. limit: No\.$/,
		);
		expect((await rig.listExecutions(request))[0].error).toBe(done.launch_error);
		await expectMasked(request);
	});

	it("a long refusal, which is cut", async () => {
		const request = await createRequest(sleeping);
		setFaultAnswer("/launch/", 400, { detail: `${"x".repeat(1_990)}${SECRET}${SECRET}` });
		await rig.execute(request);
		expect((await rig.over(request)).launch_error).toMatch(/^x{1990}\*{8}/);
		await expectMasked(request);
	});

	it("the refusal in the answer to `execute/`", async () => {
		const request = await createRequest(sleeping);
		setFaultAnswer("/job_templates/10/", 403, { detail: WORDS }, { method: "GET" });
		const refused = await rig.alice.api.post(`${REQUESTS}${request.id}/execute/`);
		expect([refused.status, refused.body.detail]).toEqual([502, expect.stringContaining("'password': '********'")]);
		for (const part of PARTS) expect(refused.text).not.toContain(part);
	});

	it("the explanation of an end, and the traceback of an error", async () => {
		for (const end of [
			{ status: "failed", explanation: WORDS },
			{ status: "error", traceback: `Traceback (most recent call last):\n  File "/awx/x.py"\nValueError: ${ASCII}` },
		]) {
			const { request, id, job } = await startExecution();
			await rig.lab.control("end", { id: job, ...end });
			await rig.over(request, 5_000);
			expect((await rig.execution(id)).explanation).toContain("********");
			await expectMasked(request);
		}
	});

	it("output, results of rows and artifacts", async () => {
		const request = await createRequest();
		await rig.execute(request);
		await rig.over(request);
		await expectMasked(request);
		const published = { row_results: { note: WORDS, [SECRET]: 1 } };
		const publishing = await rig.template({ schema: template.schema, variable_mappings: published });
		const other = await rig.request(publishing, { input_data: [{ name: "r1", password: SECRET }] });
		const { id } = await rig.execute(other);
		const socket = await rig.alice.api.open(`/ws/automation/execution/${id}/`);
		await rig.over(other);
		await rig.settle("the socket is closed", () => Promise.race([socket.closed, null]));
		expect(socket.frames.at(-1)?.data.artifacts).toMatchObject({ row_results: { "********": 1 } });
		const { rows } = await rig.t.pool.query("select artifacts from automation_executions where id = $1", [id]);
		for (const part of PARTS) expect(JSON.stringify([socket.frames, rows])).not.toContain(part);
		// The template is a constant that its author wrote: it is no answer of the server.
		await rig.t.pool.query("delete from automation_requests where id = $1", [other.id]);
		await rig.t.admin.api.del(`${API}templates/${publishing.id}/`);
	});

	it("names of tasks, and output that is broken over events", async () => {
		const { request, id } = await startExecution();
		const event = (counter: number, more: object) => ({ counter, event: "verbose", event_data: {}, ...more });
		const [first = "", second = ""] = BROKEN.split("\n");
		setFaultAnswer("/job_events/", 200, {
			results: [
				event(100, { event: "playbook_on_task_start", task: `Set ${SECRET}`, stdout: WORDS }),
				event(101, { stdout: `[WARNING]: ${first}` }),
				event(102, { stdout: second }),
			],
		});
		await rig.alice.api.post(`${EXECUTIONS}${id}/cancel/`);
		await rig.over(request, 10_000);
		expect(await readText(`${EXECUTIONS}${id}/output/`)).toContain("[WARNING]: ********\\n");
		await expectMasked(request);
	});

	it("names of a workflow's nodes", async () => {
		const workflow = await rig.template({ schema: template.schema, kind: "workflow", automation_job_template_id: 17 });
		const request = await createRequest(workflow);
		setFaultAnswer(
			"/workflow_nodes/",
			200,
			{
				next: null,
				results: [{ id: 1, identifier: SECRET, job: null, summary_fields: { unified_job_template: { name: WORDS } } }],
			},
			{ match: "/workflow_jobs/", method: "GET" },
		);
		const { id } = await rig.execute(request);
		await rig.settle("it has its nodes", async () =>
			(await readText(`${EXECUTIONS}${id}/workflow-nodes/`)).includes("****"),
		);
		rig.lab.clearFaults();
		await rig.over(request);
		await expectMasked(request);
	});

	it("the refusal of a cancel, and of a poll", async () => {
		const { request, id } = await startExecution();
		setFaultAnswer("/cancel/", 403, { detail: WORDS });
		await rig.alice.api.post(`${EXECUTIONS}${id}/cancel/`);
		await rig.settle("the refusal is shown", async () => (await rig.execution(id)).cancel_error?.includes("********"));
		await expectMasked(request);
		setFaultAnswer("/unified_jobs/", 400, { detail: WORDS });
		await rig.settle(
			"the trouble is shown",
			async () => (await rig.execution(id)).explanation.includes("********"),
			5_000,
		);
		await expectMasked(request);
		rig.lab.clearFaults();
		await rig.alice.api.post(`${EXECUTIONS}${id}/cancel/`);
		await rig.over(request, 5_000);
	});

	it("the survey, discovery and the test of a connection (the token)", async () => {
		const question = { type: "text", question_name: `Q ${TOKEN}`, question_description: "", variable: "q" };
		const survey = { name: TOKEN, description: TOKEN, spec: [{ ...question, required: false, default: TOKEN }] };
		await rig.lab.control("template", { id: 45, name: `N ${TOKEN}`, survey, surveyEnabled: true });
		const draft = await rig.alice.api.post(`${API}templates/from-server/`, { automation_job_template_id: 45 });
		const found = await rig.alice.api.get(`${API}connections/${rig.connection}/job-templates/45/`);
		setFaultAnswer("/me/", 403, { detail: `not for ${TOKEN}` });
		const tested = await rig.alice.api.post(`${API}connections/${rig.connection}/test/`);
		expect([draft.status, found.status, tested.status]).toEqual([200, 200, 400]);
		for (const { text } of [draft, found, tested]) {
			expect(text).toContain("********");
			expect(text).not.toContain(TOKEN);
		}
	});
});
