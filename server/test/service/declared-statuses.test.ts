/** Every status that a route answers is in the OpenAPI document. */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp } from "../support/harness.ts";

type Responses = Record<string, unknown>;

let t: TestApp;
let origin: string;
let paths: Record<string, Record<string, { responses: Responses }>>;
beforeAll(async () => {
	t = await startTestApp();
	const address = t.app.server.server.address();
	origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : undefined}`;
	paths = (await t.anonymous.get("/api/schema/")).body.paths;
});
afterAll(() => t.close());

const ABSENT = "00000000-0000-4000-8000-000000000000";

/** The status of a request over a real connection, which the parser of HTTP sees. */
function findStatus(method: string, path: string, headers: Record<string, string>): Promise<number | undefined> {
	return new Promise((resolve, reject) => {
		const sent = request(new URL(path, origin), { method, headers, agent: false }, (response) => {
			response.resume();
			resolve(response.statusCode);
		});
		sent.on("error", reject);
		// The headers alone: each is answered before a body is read.
		sent.flushHeaders();
		if (headers["content-length"] === undefined) sent.end();
	});
}

describe("a status that occurs is declared", () => {
	it.each([
		[417, "get", "/api/health/", { expect: "something" }],
		[431, "get", "/api/health/", { "x-large": "a".repeat(20_000) }],
		[415, "get", "/api/health/", { "content-encoding": "gzip" }],
		[401, "get", "/api/auth/profile/", {}],
		[413, "post", "/api/auth/login/", { "content-type": "application/json", "content-length": String(2 ** 30) }],
	])("%i of %s %s", async (status, method, path, headers) => {
		expect(await findStatus(method.toUpperCase(), path, headers as Record<string, string>)).toBe(status);
		expect(paths[path]?.[method]?.responses).toHaveProperty(String(status));
	});

	it.each([
		[404, "get", "/api/queries/saved-queries/{id}/", undefined],
		[404, "delete", "/api/queries/saved-queries/{id}/", undefined],
		[400, "post", "/api/queries/saved-queries/", {}],
	])("%i of %s %s for a caller with every right", async (status, method, path, body) => {
		const url = path.replace("{id}", ABSENT);
		const text = body === undefined ? undefined : JSON.stringify(body);
		const answer = await t.admin.api.send(method.toUpperCase(), url, text, { "content-type": "application/json" });
		expect(answer.status).toBe(status);
		expect(paths[path]?.[method]?.responses).toHaveProperty(String(status));
	});
});
