/**
 * Text that other languages execute, in every text of every valid call and in every query
 * parameter: it is stored and returned unchanged, or refused, and has no effect.
 */
import { allRoutes, type RouteContract } from "@weft/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { ALL_ROUTES_TIMEOUT_MS, expectOfEachRoute } from "../support/each-route.ts";
import { pickValues } from "../support/effort.ts";
import { startTestApp, type TestApp } from "../support/harness.ts";
import { createWorld, VALID_CALLS, type World } from "../support/valid-calls.ts";

const INSERT = "insert into injected values (1)";
const PAYLOADS = [
	// SQL: ends of strings, comments, further statements, operators, wildcards, encodings
	`'; ${INSERT}; --`,
	`"; ${INSERT}; --`,
	`1); ${INSERT}; --`,
	`') union select password_hash from users; ${INSERT} --`,
	`x' or '1'='1`,
	`\\'; ${INSERT}; --`,
	`$$; ${INSERT}; $$`,
	`$1`,
	`{1}`,
	`%' and 1=(select count(*) from users) and '%'='`,
	`%_\\%`,
	`:name ?|?&@>`,
	`ʼ; ${INSERT}; --`,
	`＇; ${INSERT}; --`,
	// LDAP filters and names
	`*)(uid=*))(|(uid=*`,
	`admin)(&)`,
	`\\2a\\00`,
	`cn=admin,dc=example\\,dc=com`,
	// Formulas, markup, headers, templates, shells, paths
	`=cmd|'/c calc'!A0`,
	`<script>alert(1)</script>`,
	`x\r\nSet-Cookie: a=b`,
	`\${7*7}{{7*7}}<%= 7*7 %>#{7*7}`,
	`\`touch /tmp/injected\`;$(id)|id&&id`,
	`..%2f..%2fetc%2fpasswd`,
	`file:///etc/passwd`,
	`__proto__`,
	`constructor`,
	`toString`,
];

let t: TestApp;
let world: World;
let users: string;
beforeAll(async () => {
	t = await startTestApp();
	world = await createWorld(t);
	await t.pool.query("create table injected (n integer)");
	users = await dumpUsers();
});
afterAll(() => t.close());

const dumpUsers = async (): Promise<string> =>
	JSON.stringify((await t.pool.query("select id, username, is_superuser, is_active from users order by id")).rows);

/** Nothing was carried out. */
async function isUnharmed(): Promise<void> {
	expect((await t.pool.query("select from injected")).rowCount).toBe(0);
	expect({}).not.toHaveProperty("polluted");
}

type Path = readonly (string | number)[];
/** Where there is text in a body. */
function listTexts(value: unknown, path: Path = []): Path[] {
	if (typeof value === "string") return [path];
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]) => listTexts(inner, [...path, key]));
}
function withText(value: unknown, [key, ...rest]: Path, text: string): unknown {
	if (key === undefined) return text;
	if (Array.isArray(value)) return value.map((item, i) => (String(i) === key ? withText(item, rest, text) : item));
	return { ...(value as object), [key]: withText((value as Record<string, unknown>)[key], rest, text) };
}
const getValueAt = (value: unknown, path: Path): unknown =>
	path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);

const callable = Object.keys(VALID_CALLS).map((id) => ({ id }));
const LONG = { timeout: ALL_ROUTES_TIMEOUT_MS };
/** Increases with each place that is tried. */
let turn = 0;

describe("text that is a command elsewhere", () => {
	async function sendInBody(id: string): Promise<void> {
		const route = allRoutes.find((candidate) => candidate.id === id) as RouteContract;
		const call = await VALID_CALLS[id]?.(world);
		if (call === undefined) throw new Error(`no call of ${id}`);
		const api = { admin: t.admin.api, user: world.user.api, nobody: t.anonymous }[call.as];
		// A password that is changed would be another one for the calls that follow.
		const paths = listTexts(call.body).filter((path) => !(id === "auth.change_password" && path[0] === "new_password"));
		const failures: unknown[] = [];
		for (const path of paths) {
			for (const text of pickValues(PAYLOADS, turn++)) {
				const body = withText(call.body, path, text);
				const answer = await api.send(route.method, call.path, JSON.stringify(body), {
					"content-type": "application/json",
				});
				if (answer.status >= 500 && answer.status !== call.status) failures.push([path.join("."), text, answer.text]);
				const kept = answer.status < 300 ? getValueAt(answer.body, path) : undefined;
				// Spaces around a name, and other forms of a letter, do not count.
				const same = (value: string) => value.normalize("NFKC").trim();
				if (typeof kept === "string" && same(kept) !== same(text)) failures.push([path.join("."), text, kept]);
			}
		}
		expect(failures).toEqual([]);
		await isUnharmed();
	}

	it("is stored and returned as text by every route that takes a body", LONG, async () => {
		await expectOfEachRoute(callable, ({ id }) => sendInBody(id));
	});

	it("does no harm in the address of any route", LONG, async () => {
		const addressed = allRoutes.filter(({ id, query, params }) => (query || params) && id !== "auth.revoke_session");
		await expectOfEachRoute(addressed, async (route) => {
			const shape = route.query
				? (z.toJSONSchema(route.query, { io: "input", unrepresentable: "any" }) as { properties?: object })
				: {};
			const names = Object.keys(shape.properties ?? {});
			const path = (text: string) => route.path.replace(/:\w+/g, encodeURIComponent(text));
			const failures: unknown[] = [];
			for (const text of pickValues(PAYLOADS, turn++)) {
				const query = names.map((name) => `${name}=${encodeURIComponent(text)}`);
				const ID = "01890000-0000-7000-8000-000000000000";
				for (const address of [
					path(text),
					...query.map((pair) => `${path(ID)}?${pair}`),
					`${path(ID)}?${query.join("&")}`,
				]) {
					const api = route.auth === "bearer" ? t.admin.api : t.anonymous;
					const [payload, headers] = route.body ? ["{}", { "content-type": "application/json" }] : [];
					const answer = await api.send(route.method, address, payload, headers);
					if (answer.status >= 500) failures.push([address, answer.text]);
				}
			}
			expect(failures).toEqual([]);
			await isUnharmed();
		});
	});

	it("did nothing to anybody", async () => {
		// The calls themselves may have added users; earlier ones have only valid changes.
		const now = JSON.parse(await dumpUsers()) as { username: string; is_superuser: boolean }[];
		for (const { username, is_superuser } of JSON.parse(users)) {
			expect(now).toContainEqual(expect.objectContaining({ username, is_superuser }));
		}
		expect(now.filter((user) => user.is_superuser).map((user) => user.username)).toEqual(["root"]);
	});

	it("finds what it is, and nothing else, where it is searched for", async () => {
		const QUERIES = "/api/queries/saved-queries/";
		const flow_data = { nodes: [], edges: [] };
		const names = ["100%", "100 of them", "a_b", "axb", "it's", "back\\slash", "O'Brien; --"];
		const searcher = await t.user("searcher");
		for (const name of names) {
			expect((await searcher.api.post(QUERIES, { name: `needle ${name}`, flow_data })).status).toBe(201);
		}
		for (const name of names) {
			const { body } = await searcher.api.get(`${QUERIES}?search=${encodeURIComponent(`needle ${name}`)}`);
			expect(body.results.map((query: { name: string }) => query.name)).toEqual([`needle ${name}`]);
		}
	});
});
