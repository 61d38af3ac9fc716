/**
 * Each route with no user, a plain user, each seeded group and a superuser; docs/permissions.md.
 */
import { readFileSync } from "node:fs";
import { allRoutes, type PermissionRule, type RouteContract } from "@weft/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getPermission, ROLE_NAMES, rolesWith } from "../../src/areas/accounts/users/index.ts";
import { buildPermissionsDocument } from "../../src/permissions-document.ts";
import { expectOfEachRoute } from "../support/each-route.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

let t: TestApp;
const users = new Map<string, TestUser>();
beforeAll(async () => {
	t = await startTestApp();
	users.set("superuser", t.admin);
	for (const role of ROLE_NAMES) users.set(role, await t.user(role.toLowerCase(), role === "Users" ? [] : [role]));
});
afterAll(() => t.close());

/** Of nothing that there is. */
const ID = "01890000-0000-7000-8000-000000000000";
const getPath = (route: RouteContract): string => route.path.replace(/:\w+/g, ID);
/** Ends the session that the next call would need. */
const ENDS_SESSION = "auth.logout";

function callRoute(route: RouteContract, user: TestUser | undefined) {
	const [payload, headers] = route.body ? ["{}", { "content-type": "application/json" }] : [];
	return (user?.api ?? t.anonymous).send(route.method, getPath(route), payload, headers);
}

const mayCall = (name: string, rule: PermissionRule): boolean =>
	name === "superuser" || rolesWith(rule).some((role) => role === name || role === "Users");

describe("rights", () => {
	it("are what docs/permissions.md says (npm run openapi writes it)", () => {
		const committed = readFileSync(new URL("../../../docs/permissions.md", import.meta.url), "utf8");
		expect(committed).toBe(buildPermissionsDocument(allRoutes));
		expect(committed.split("\n").filter((line) => / `\/api\//.test(line))).toHaveLength(allRoutes.length);
	});

	it("of the document are those of the store", async () => {
		const { rows } = await t.pool.query(
			`select p.codename, p.app, p.model, array(select g.name from group_permissions gp join groups g on g.id = gp.group_id
				where gp.permission_id = p.id) as groups from permissions p`,
		);
		for (const { groups, ...permission } of rows) {
			expect(getPermission(permission.codename)).toEqual(permission);
			expect(rolesWith(permission.codename).sort(), permission.codename).toEqual(groups.sort());
		}
		const known = new Set(rows.map(({ codename }) => codename));
		const asked = allRoutes.map(({ permission }) => permission).filter((rule) => rule !== "any" && rule !== "admin");
		expect(asked.filter((rule) => !known.has(rule))).toEqual([]);
	});

	const [withUser, without] = [
		allRoutes.filter(({ auth }) => auth === "bearer"),
		allRoutes.filter(({ auth }) => auth !== "bearer"),
	];

	it("are not asked of a caller without a token where the contract needs none", async () => {
		await expectOfEachRoute(without, async (route) => {
			expect((await callRoute(route, undefined)).status).not.toBe(403);
		});
	});

	it("are refused with 401 to a caller without a token on every other route", async () => {
		await expectOfEachRoute(withUser, async (route) => {
			const { status, headers } = await callRoute(route, undefined);
			expect([status, headers["www-authenticate"]]).toEqual([401, "Bearer"]);
		});
	});

	it.each(["superuser", ...ROLE_NAMES])("of %s are those of the contract on every route", async (name) => {
		const user = users.get(name) as TestUser;
		await expectOfEachRoute(withUser, async (route) => {
			const isAllowed = mayCall(name, route.permission);
			if (isAllowed && route.id === ENDS_SESSION) return;
			const { status } = await callRoute(route, user);
			if (isAllowed) expect([401, 403]).not.toContain(status);
			else expect(status).toBe(403);
		});
	});
});
