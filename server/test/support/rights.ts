/** Rights, audit entries and attempts to sign in, as administrators see them. */
import { expect } from "vitest";
import type { TestApp, TestUser } from "./harness.ts";

interface Rights {
	/** Names of groups. */
	readonly groups?: readonly string[];
	/** Code names. */
	readonly permissions?: readonly string[];
}

/** Gives the user these groups and direct permissions and no other ones. */
export async function setRights(t: TestApp, user: TestUser, { groups = [], permissions = [] }: Rights): Promise<void> {
	const group_ids = await groupIds(t, ...groups);
	const permission_ids = await findPermissionIds(t, ...permissions);
	const answer = await t.admin.api.patch(`/api/auth/management/${user.id}/`, { group_ids, permission_ids });
	expect(answer.status, answer.text).toBe(200);
}

export const groupIds = (t: TestApp, ...names: string[]) => getIds(t, "groups", "name", names);
export const findPermissionIds = (t: TestApp, ...codenames: string[]) =>
	getIds(t, "permissions", "codename", codenames);

/** In the order of the names. */
async function getIds(t: TestApp, list: string, field: string, names: readonly string[]): Promise<number[]> {
	if (names.length === 0) return [];
	const { body } = await t.admin.api.get(`/api/auth/${list}/?page_size=500`);
	return names.map((name) => {
		const found = body.results.find((each: Record<string, unknown>) => each[field] === name);
		if (found === undefined) throw new Error(`${name} is not among the ${list}.`);
		return found.id;
	});
}

/** The audit entries that match a filter of the list, oldest first. */
export async function auditEntries(t: TestApp, filter: Record<string, string> = {}) {
	const entries = [];
	for (let page = 1; ; page++) {
		const query = new URLSearchParams({ ...filter, ordering: "created_at", page_size: "500", page: String(page) });
		const { body } = await t.admin.api.get(`/api/audit/logs/?${query}`);
		entries.push(...body.results);
		if (body.next === null) return entries;
	}
}

/** The audit entries of a target, oldest first. */
export async function findAudit(t: TestApp, targetId: string | number) {
	const entries = await auditEntries(t);
	return entries.filter(({ target_id }) => target_id === String(targetId));
}

/** Attempts to sign in as a user, newest first. */
export async function loginAttempts(t: TestApp, username: string) {
	const { body } = await t.admin.api.get(`/api/audit/login-attempts/?username=${username}&page_size=200`);
	expect(body.next).toBeNull();
	return body.results as { success: boolean; failure_reason: string; ip_address: string }[];
}
