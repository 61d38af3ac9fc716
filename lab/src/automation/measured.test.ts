/** Measured behaviour of a real AWX that its recorded answers do not show. */
import { afterEach, expect, it } from "vitest";
import { type AutomationOptions, type RunningAutomation, startAutomation } from "./automation.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	for (const close of closers.splice(0)) await close();
});

type Body = Record<string, unknown>;

interface Started {
	readonly lab: RunningAutomation;
	call(
		method: string,
		path: string,
		body?: unknown,
		headers?: Record<string, string>,
	): Promise<{ status: number; body: Body }>;
	advance(seconds: number): Promise<unknown>;
}

async function startLab(options: AutomationOptions = {}): Promise<Started> {
	const lab = await startAutomation({ now: () => Date.parse("2026-01-15T10:00:00Z"), ...options });
	closers.push(() => lab.close());
	return {
		lab,
		async call(method, path, body, headers = {}) {
			const response = await fetch(`${lab.url}/api/v2/${path}`, {
				method,
				headers: {
					authorization: `Bearer ${lab.token}`,
					accept: "application/json",
					"content-type": "application/json",
					...headers,
				},
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			});
			const text = await response.text();
			const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
			return { status: response.status, body: (isJson ? JSON.parse(text) : { text }) as Body };
		},
		advance: (seconds) => lab.control("advance", { seconds }),
	};
}

it("a variable with a reserved name is warned of at the beginning of the output", async () => {
	const { call, advance } = await startLab();
	const findOutput = async (extra_vars: Body) => {
		const { body } = await call("POST", "job_templates/22/launch/", { extra_vars });
		await advance(60);
		return (await call("GET", `jobs/${body.job}/stdout/?format=txt_download`, undefined, { accept: "text/plain" })).body
			.text;
	};
	expect(await findOutput({ check_mode: false })).toMatch(
		/^\[WARNING\]: Found variable using reserved name: check_mode\n\nPLAY \[Bulk rows\]/,
	);
	expect(await findOutput({ dry_run: false })).toMatch(/^\nPLAY \[Bulk rows\]/);
});

it("a survey takes no list of objects, and the refusal repeats all of it in Python's words", async () => {
	const { lab, call } = await startLab();
	const question = { question_name: "Rows", question_description: "", variable: "rows", required: true };
	const rows = [{ name: "r1", password: `it's "x" \\`, rc: 1, skip: true, note: null }];
	const shown = `[{'name': 'r1', 'password': 'it\\'s "x" \\\\', 'rc': 1, 'skip': True, 'note': None}]`;
	for (const [type, message] of [
		["text", `Value ${shown} for 'rows' expected to be a string.`],
		["textarea", `Value ${shown} for 'rows' expected to be a string.`],
		["integer", `Value ${shown} for 'rows' expected to be an integer.`],
		["multiplechoice", `Value ${shown} for 'rows' expected to be one of ['a'].`],
		["multiselect", `Value ${shown.slice(1, -1)} for 'rows' expected to be one of ['a'].`],
	]) {
		const spec = [{ ...question, type, choices: ["a"] }];
		await lab.control("template", { id: 50, surveyEnabled: true, survey: { name: "", description: "", spec } });
		const { status, body } = await call("POST", "job_templates/50/launch/", { extra_vars: { rows } });
		expect([status, body]).toEqual([400, { variables_needed_to_start: [message] }]);
	}
});

it("an Accept header that names no type of the answer is a 406", async () => {
	const { call } = await startLab();
	const findStatus = async (path: string, accept: string) => (await call("GET", path, undefined, { accept })).status;
	const { body } = await call("POST", "job_templates/22/launch/", {});
	const stdout = `jobs/${body.job}/stdout/`;
	expect(await findStatus("me/", "text/plain")).toBe(406);
	expect(await findStatus("me/", "text/plain, application/*;q=0.5")).toBe(200);
	expect(await findStatus(`${stdout}?format=txt_download`, "application/json")).toBe(406);
	expect(await findStatus(`${stdout}?format=txt_download`, "text/plain")).toBe(200);
	expect(await findStatus(`${stdout}?format=json`, "text/plain")).toBe(406);
	expect(await findStatus(stdout, "*/*")).toBe(200);
});

it("the scope of a token shows without effect", async () => {
	const { lab, call } = await startLab();
	const probe = (token: string) =>
		call("POST", "jobs/0/cancel/", {}, { authorization: `Bearer ${token}` }).then(({ status }) => status);
	expect([await probe(lab.token), await probe(`${lab.token}-read`), await probe("none")]).toEqual([404, 403, 401]);
});

it("jobs of a cancelled workflow say so at once, and end later as if nothing had been", async () => {
	const { lab, call, advance } = await startLab({ behaviour: { reverses: true } });
	const node = { id: 1, identifier: "a", template: 10, success: [], failure: [], always: [], extra: {} };
	await lab.control("template", { id: 51, kind: "workflow", asks: ["variables"], nodes: [node] });
	const { body } = await call("POST", "workflow_job_templates/51/launch/", { extra_vars: { secs: 30 } });
	await advance(5);
	await call("POST", `workflow_jobs/${body.workflow_job}/cancel/`);
	const child = `jobs/${Number(body.workflow_job) + 1}/`;
	const state = async () => {
		const { status, event_processing_finished } = (await call("GET", child)).body;
		return [status, event_processing_finished];
	};
	expect((await call("GET", `workflow_jobs/${body.workflow_job}/`)).body.status).toBe("canceled");
	expect(await state()).toEqual(["canceled", false]);
	await advance(40);
	expect(await state()).toEqual(["successful", true]);
});
