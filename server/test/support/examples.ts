/** The folder examples/ and the token that its README advises. */
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import type { TestApp, TestUser } from "./harness.ts";
import { root } from "./packed.ts";
import { findPermissionIds } from "./rights.ts";

export const buildExamplePath = (path: string): string => join(root, "examples", path);
export const readExample = (path: string): string => readFileSync(buildExamplePath(path), "utf8");

export const getAddress = (t: TestApp): string =>
	`http://127.0.0.1:${(t.app.server.server.address() as AddressInfo).port}`;

/** A token of the user with the permissions of `weft token create` in examples/README.md. */
export function findExampleToken(t: TestApp, user: TestUser): Promise<string> {
	const names = [...readExample("README.md").matchAll(/--permission (\w+)/g)].map(([, name = ""]) => name);
	return makeToken(t, user, names);
}

/** A token of the user with the permissions that examples/README.md names for change windows. */
export function findWindowToken(t: TestApp, user: TestUser): Promise<string> {
	const [, sentence = ""] = /For change windows[^.]*?needs ([^.]*)\./s.exec(readExample("README.md")) ?? [];
	const names = [...sentence.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
	expect(names).toContain("add_changewindow");
	return makeToken(t, user, names);
}

async function makeToken(t: TestApp, user: TestUser, names: readonly string[]): Promise<string> {
	const body = { name: "examples", permission_ids: await findPermissionIds(t, ...names) };
	const answer = await user.api.post("/api/auth/tokens/", body);
	expect(answer.status, answer.text).toBe(201);
	return answer.body.token;
}
