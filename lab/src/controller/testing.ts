/** A small client for the tests of the simulator: logs in, keeps the cookie, parses answers. */
import { afterAll, beforeEach } from "vitest";
import { type ControllerOptions, type RunningController, startController } from "./controller.ts";

export interface TestObject {
	readonly attributes: Record<string, string>;
	readonly children?: readonly Record<string, TestObject>[];
}

export interface TestAnswer {
	readonly status: number;
	readonly text: string;
	readonly totalCount: string | undefined;
	readonly subscriptionId: string | undefined;
	readonly imdata: readonly Record<string, TestObject>[];
	/** Code and text of the first error object. */
	readonly error: { readonly code: string | undefined; readonly text: string | undefined };
	readonly headers: Headers;
}

export interface TestClient {
	readonly controller: RunningController;
	/** The current session's token. */
	token: string;
	request(
		method: string,
		path: string,
		body?: unknown,
		headers?: Readonly<Record<string, string>>,
	): Promise<TestAnswer>;
	get(path: string): Promise<TestAnswer>;
	login(name?: string, password?: string, query?: string): Promise<TestAnswer>;
	lab(
		method: string,
		path: string,
		body?: unknown,
	): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
	close(): Promise<void>;
}

/** The client of one test file: each test begins with a fresh fabric and a new session. */
export async function useTestClient(): Promise<TestClient> {
	const client = await startTestClient();
	afterAll(() => client.close());
	beforeEach(async () => {
		client.controller.reset();
		await client.login();
	});
	return client;
}

/** Starts a simulator and logs in. */
export async function startTestClient(options: ControllerOptions = {}): Promise<TestClient> {
	const controller = await startController(options);
	const client: TestClient = {
		controller,
		token: "",
		async request(method, path, body, headers = {}) {
			const cookie: Record<string, string> = client.token === "" ? {} : { Cookie: `APIC-cookie=${client.token}` };
			const text = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
			const response = await fetch(controller.url + encodePath(path), {
				method,
				body: text,
				headers: { ...cookie, ...headers },
			});
			return readAnswer(response.status, await response.text(), response.headers);
		},
		get: (path) => client.request("GET", path),
		async login(name = controller.username, password = controller.password, query = "") {
			client.token = "";
			const answer = await client.request("POST", `/api/aaaLogin.json${query}`, {
				aaaUser: { attributes: { name, pwd: password } },
			});
			client.token = answer.imdata[0]?.aaaLogin?.attributes.token ?? "";
			return answer;
		},
		async lab(method, path, body) {
			const response = await fetch(`${controller.url}/_lab/${path}`, {
				method,
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			});
			return { status: response.status, body: JSON.parse(await response.text()) };
		},
		close: () => controller.close(),
	};
	await client.login();
	return client;
}

/** Percent-encodes what a strict client must: the rest of the path and query is sent as written. */
function encodePath(path: string): string {
	return path.replace(/["[\]|\\#{}<> ]/g, (char) => encodeURIComponent(char));
}

function readAnswer(status: number, text: string, headers: Headers): TestAnswer {
	const isJson = text.startsWith("{");
	const body = isJson ? JSON.parse(text) : {};
	const imdata: Record<string, TestObject>[] = body.imdata ?? [];
	const error = imdata[0]?.error?.attributes;
	return {
		status,
		text,
		headers,
		totalCount: body.totalCount,
		subscriptionId: body.subscriptionId,
		imdata,
		error: { code: error?.code, text: error?.text },
	};
}

/** DNs of the results, in their order. */
export function listDns(answer: TestAnswer): string[] {
	return answer.imdata.map((item) => Object.values(item)[0]?.attributes.dn ?? "");
}

/** Classes of the results, in their order. */
export function listClasses(answer: TestAnswer): string[] {
	return answer.imdata.map((item) => Object.keys(item)[0] ?? "");
}
