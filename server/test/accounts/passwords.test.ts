/** Passwords are compared whole and as they were typed. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp } from "../support/harness.ts";

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp({ inProcess: true });
});
afterAll(() => t.close());

const signIn = async (username: string, password: string) =>
	(await t.anonymous.post("/api/auth/login/", { username, password })).status;

describe("a password", () => {
	it.each([
		["of 64 characters", "whole", "a".repeat(63)],
		["of 256 characters", "long", "b".repeat(255)],
		["with spaces around it", "spaced", ` ${"c".repeat(12)} `],
		["with letters that have two forms", "formed", "e\u0301".repeat(8)],
	])("%s is compared to its last character", async (_kind, username, beginning) => {
		const password = `${beginning}Z`;
		const made = await t.admin.api.post("/api/auth/management/", { username, password });
		expect(made.status, made.text).toBe(201);
		expect(await signIn(username, password)).toBe(200);
		const others = [beginning, `${beginning}z`, `${password} `, password.trim(), password.normalize("NFC")];
		for (const other of others.filter((text) => text !== password).slice(0, 4))
			expect(await signIn(username, other), JSON.stringify(other)).toBe(401);
	});
});
