/** Users who ask for automation requests and decide on them, and the actions of these users. */
import { expect } from "vitest";
import { type Body, REQUESTS, type Rig, startRig } from "./automation.ts";
import type { TestUser } from "./harness.ts";
import { findPermissionIds } from "./rights.ts";

export interface RequestRig {
	readonly rig: Rig;
	readonly bob: TestUser;
	/** May approve, by a right of their own. */
	readonly carol: TestUser;
}

export async function startRequestRig(): Promise<RequestRig> {
	const rig = await startRig();
	const bob = await rig.t.user("bob", ["Operator"]);
	const carol = await rig.t.user("carol", ["Viewer"]);
	await grantPermission(rig, carol, "approve_automationrequest");
	return { rig, bob, carol };
}

export async function grantPermission(rig: Rig, user: TestUser, codename: string): Promise<void> {
	const path = `/api/auth/management/${user.id}/add_permissions/`;
	const permission_ids = await findPermissionIds(rig.t, codename);
	expect((await rig.t.admin.api.post(path, { permission_ids })).status).toBe(200);
}

export const postAction = (user: TestUser, request: Body, action: string, body?: unknown) =>
	user.api.post(`${REQUESTS}${request.id}/${action}/`, body);

export const getRequest = async (user: TestUser, request: Body) =>
	(await user.api.get(`${REQUESTS}${request.id}/`)).body;

/** Creates a group with members; returns its id. */
export async function createGroup(rig: Rig, name: string, ...members: TestUser[]): Promise<number> {
	const { status, body } = await rig.t.admin.api.post("/api/auth/groups/", { name });
	expect(status).toBe(201);
	for (const { id } of members) {
		const record = await rig.t.admin.api.get(`/api/auth/management/${id}/`);
		const group_ids = [...record.body.group_ids, body.id];
		expect((await rig.t.admin.api.patch(`/api/auth/management/${id}/`, { group_ids })).status).toBe(200);
	}
	return body.id;
}
