/** Connections as the areas that query controllers use them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findTarget, findVisibleConnection, requireTarget } from "../../src/areas/fabrics/manage-connections.ts";
import type { Context } from "../../src/context.ts";
import type { Identity } from "../../src/core/caller.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const UNKNOWN = "01890000-0000-7000-8000-000000000000";

let t: TestApp;
let ctx: Context;
let ada: TestUser;
let owner: Identity;
let other: Identity;
let admin: Identity;
beforeAll(async () => {
	t = await startTestApp();
	ctx = t.app.context;
	ada = await t.user("ada");
	const identity = (userId: number, isAdmin: boolean): Identity => ({
		userId,
		username: "x",
		sessionId: "x",
		token: null,
		isSuperuser: isAdmin,
		isAdmin,
		restriction: null,
		permissions: new Set(),
	});
	[owner, other, admin] = [identity(ada.id, false), identity(ada.id + 1000, false), identity(t.admin.id, true)];
});
afterAll(() => t.close());

async function addConnection(name: string, fields: Record<string, unknown> = {}): Promise<string> {
	const { body } = await ada.api.post("/api/controller/connections/", {
		name,
		url: "https://apic.example.com:8443/fabric/",
		username: "admin",
		password: "planted-Passw0rd",
		timeout: 60,
		verify_ssl: false,
		...fields,
	});
	return body.id;
}
const captureFailure = (work: Promise<unknown>) =>
	work.then(
		() => null,
		(error: { status: number; body: unknown }) => [error.status, error.body],
	);

describe("targets", () => {
	it("hold what the driver needs, with a revision that changes when that does", async () => {
		const id = await addConnection("Target");
		const { name, target } = await requireTarget(ctx, owner, id);
		expect([name, target]).toEqual([
			"Target",
			{
				id,
				name: "Target",
				revision: "1",
				url: "https://apic.example.com:8443/fabric",
				alternateUrls: [],
				fabricId: null,
				isOneFabricConfirmed: false,
				username: "admin",
				password: "planted-Passw0rd",
				verifyTls: false,
				timeoutMs: 60_000,
			},
		]);
		const revision = async (fields: object) => {
			await ada.api.patch(`/api/controller/connections/${id}/`, fields);
			const found = await findTarget(ctx, id);
			return "target" in found ? found.target.revision : null;
		};
		expect(await revision({ description: "x", username: "admin", is_public: true })).toBe("1");
		expect(await revision({ url: "https://apic.example.com", password: "planted-Passw0rd" })).toBe("2");
		expect(await revision({ password: "planted-Passw0rd" })).toBe("3");
		expect(await revision({ verify_ssl: true })).toBe("4");
		expect(await revision({ timeout: 5 })).toBe("5");
	});

	it("are for those who see the connection, and fail under the field that named it", async () => {
		const id = await addConnection("Private");
		expect(await findVisibleConnection(ctx, admin, id)).toEqual({ id, name: "Private", isActive: true });
		expect(await findVisibleConnection(ctx, other, id)).toBeNull();
		expect(await captureFailure(requireTarget(ctx, other, id))).toEqual([404, { detail: expect.any(String) }]);
		expect(await captureFailure(requireTarget(ctx, other, id, "controller_connection_id"))).toEqual([
			400,
			{ controller_connection_id: [expect.any(String)] },
		]);
		expect(await captureFailure(requireTarget(ctx, admin, UNKNOWN))).toEqual([404, { detail: expect.any(String) }]);
	});

	it("of inactive and deleted connections are refused in words", async () => {
		const id = await addConnection("Inactive", { is_active: false });
		expect(await findVisibleConnection(ctx, owner, id)).toMatchObject({ isActive: false });
		expect(await captureFailure(requireTarget(ctx, owner, id))).toEqual([
			400,
			{ detail: expect.stringContaining("Inactive") },
		]);
		expect(await captureFailure(requireTarget(ctx, owner, id, "target"))).toEqual([
			400,
			{ target: [expect.any(String)] },
		]);
		expect(await findTarget(ctx, id)).toEqual({ problem: "inactive", message: expect.stringContaining("Inactive") });
		await ada.api.del(`/api/controller/connections/${id}/`);
		expect(await findTarget(ctx, id)).toEqual({ problem: "deleted", message: expect.any(String) });
	});
});
