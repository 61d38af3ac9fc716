/** Rights and audit entries through the interface, as administrators change and read them. */
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
	const group_ids = await idsOf(t, "groups", "name", groups);
	const permission_ids = await idsOf(t, "permissions", "codename", permissions);
	const answer = await t.admin.api.patch(`/api/auth/management/${user.id}/`, { group_ids, permission_ids });
	expect(answer.status, answer.text).toBe(200);
}

async function idsOf(t: TestApp, list: string, field: string, names: readonly string[]): Promise<number[]> {
	if (names.length === 0) return [];
	const { body } = await t.admin.api.get(`/api/auth/${list}/?page_size=200`);
	return names.map((name) => body.results.find((each: Record<string, unknown>) => each[field] === name).id);
}

/** The audit entries of a target, oldest first. */
export async function auditOf(t: TestApp, targetId: string | number) {
	const { body } = await t.admin.api.get("/api/audit/logs/?ordering=created_at&page_size=200");
	expect(body.count).toBeLessThanOrEqual(200);
	return body.results.filter(({ target_id }: { target_id: string }) => target_id === String(targetId));
}
