/** Connections as files: export without secrets, apply, and what a file may not do. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { addConnection } from "../support/canvases.ts";
import { CONNECTIONS } from "../support/connection-bodies.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import {
	APPLY,
	applyFiles,
	applyForChanges,
	applyForErrors,
	buildQueryFile,
	EXPORT,
	type File,
	VALIDATE,
} from "../support/query-files.ts";
import { setRights } from "../support/rights.ts";
import { createEagerDriver } from "../support/runs.ts";

let t: TestApp;
let lab: RunningController;
let ada: TestUser;
beforeAll(async () => {
	lab = await startController({ size: "small" });
	t = await startTestApp({ work: true, deps: { controllers: createEagerDriver() } });
	ada = await t.user("ada", ["Editor"]);
});
afterAll(async () => {
	await t.close();
	await lab.close();
});

const buildFile = (name: string, more = "", url = lab.url): File => ({
	path: `connections/${name}.yaml`,
	content: `kind: connection\nname: ${name}\nurl: ${url}\nusername: weft\n${more}`,
});
async function readConnection(name: string, { api }: TestUser = ada) {
	const { body } = await api.get(`${CONNECTIONS}?search=${name}`);
	return body.results.find((one: { name: string }) => one.name === name);
}
async function readExported(name: string): Promise<File> {
	const { body } = await ada.api.get(EXPORT);
	const found = body.files.find(({ path }: File) => path === `connections/${name}.yaml`);
	expect(found).toBeDefined();
	return found;
}

describe("a connection's file", () => {
	it("a connection file is exported without secrets and ids, and applying it changes nothing", async () => {
		await addConnection(ada.api, lab, { name: "fab-out", description: "Hall 1", alternate_urls: [] });
		const file = await readExported("fab-out");
		expect(parse(file.content)).toEqual({
			kind: "connection",
			alternate_urls: [],
			auth_method: "password",
			description: "Hall 1",
			is_active: true,
			is_public: false,
			name: "fab-out",
			timeout: 30,
			url: lab.url,
			username: lab.username,
			verify_ssl: false,
		});
		expect(file.content).not.toContain(lab.password);
		expect(await applyForChanges(ada, [file])).toEqual(["unchanged connection fab-out"]);
	});

	it("makes a connection that cannot be used before its password is entered", async () => {
		const file = buildFile("fab-new", "verify_ssl: false\n");
		expect(await applyForChanges(ada, [file], { dry_run: true })).toEqual(["created connection fab-new"]);
		expect(await readConnection("fab-new")).toBeUndefined();
		await applyForChanges(ada, [file]);
		const { id, url } = await readConnection("fab-new");
		expect(url).toBe(lab.url);
		const tested = await ada.api.post(`${CONNECTIONS}${id}/test/`, {});
		expect(tested.body).toMatchObject({ reason: "password_unreadable" });
		expect(tested.text).toContain("No password is stored yet");
		const moved = buildFile("fab-new", "verify_ssl: false\n", "http://127.0.0.1:9");
		expect(await applyForChanges(ada, [moved])).toEqual(["updated connection fab-new"]);
		expect(await applyForChanges(ada, [file])).toEqual(["updated connection fab-new"]);
		const secret = { username: lab.username, password: lab.password };
		expect((await ada.api.patch(`${CONNECTIONS}${id}/`, secret)).status).toBe(200);
		expect((await ada.api.post(`${CONNECTIONS}${id}/test/`, {})).body).toMatchObject({ success: true });
	});

	it("never changes the address of a connection with a stored secret", async () => {
		const id = await addConnection(ada.api, lab, { name: "fab-kept" });
		const before = await readConnection("fab-kept");
		const { content } = await readExported("fab-kept");
		const edits: readonly (readonly [string, string, string])[] = [
			["url", lab.url, "http://127.0.0.1:9"],
			["alternate_urls", "alternate_urls: []", "alternate_urls:\n  - http://127.0.0.1:9"],
		];
		for (const [field, from, to] of edits) {
			const errors = await applyForErrors(ada, [{ path: "a.yaml", content: content.replace(from, to) }]);
			expect(errors).toEqual([
				expect.stringMatching(new RegExp(`^a\\.yaml:\\d+: ${field}: The connection "fab-kept" has a stored password`)),
			]);
			expect(errors[0]).toContain("enter the address and the password there");
		}
		const trusting = content.replace("verify_ssl: false", `verify_ssl: false\npinned_certificate: ${"AB".repeat(32)}`);
		expect(await applyForErrors(ada, [{ path: "a.yaml", content: trusting }])).toEqual([
			expect.stringContaining("password: Enter the password again"),
		]);
		const signed = content.replace(
			"auth_method: password",
			"auth_method: certificate\ncertificate_dn: uni/userext/user-a/usercert-b",
		);
		expect(await applyForErrors(ada, [{ path: "a.yaml", content: signed }])).toEqual([
			expect.stringContaining("private_key: Enter the private key"),
		]);
		expect(await readConnection("fab-kept")).toEqual(before);
		const described = content.replace('description: ""', "description: Hall 2");
		expect(await applyForChanges(ada, [{ path: "a.yaml", content: described }])).toEqual([
			"updated connection fab-kept",
		]);
		expect(await readConnection("fab-kept")).toMatchObject({ id, description: "Hall 2" });
		expect((await ada.api.post(`${CONNECTIONS}${id}/test/`, {})).body).toMatchObject({ success: true });
	});

	it("holds no secret, and names each error with its line", async () => {
		const errors = async (content: string) => applyForErrors(ada, [{ path: "a.yaml", content }]);
		expect(await errors("kind: connection\nname: fab-bad\nurl: https://a\nusername: u\npassword: x\n")).toEqual([
			"a.yaml:5: password: A file holds no secret. Remove it, and enter it where the connection is edited.",
		]);
		expect(await errors("kind: connection\nname: fab-bad\nurl: ftp://a\ncolour: x\n")).toEqual([
			"a.yaml:3: url: Must start with http:// or https://.",
			'a.yaml:4: There is no key "colour".',
		]);
		expect(await errors("kind: connection\nname: fab-bad\nurl: https://a\n")).toEqual([
			expect.stringMatching(/^a\.yaml:\d+: username: This key is required\.$/),
		]);
	});

	it("a connection file serves schedules and checks of the same files, and prune does not delete it", async () => {
		const bob = await t.user("bob-of-connection-files", ["Editor"]);
		const files = [
			buildQueryFile("Tenants"),
			buildFile("fab-bob"),
			{
				path: "checks/a.yaml",
				content: "kind: check\nname: A\nsaved_query: Tenants\ntype: no_rows\ncontroller_connections:\n  - fab-bob\n",
			},
			{
				path: "schedules/a.yaml",
				content:
					"kind: schedule\nname: B\nsaved_query: Tenants\nfrequency: hourly\nminute_of_hour: 5\ncontroller_connections:\n  - fab-bob\n",
			},
		];
		expect(await applyForChanges(bob, files)).toEqual([
			"created query Tenants",
			"created schedule B",
			"created check A",
			"created connection fab-bob",
		]);
		expect(await applyForChanges(bob, files)).toEqual(expect.arrayContaining(["unchanged connection fab-bob"]));
		const [query] = files;
		if (query === undefined) throw new Error("There is no file.");
		expect(await applyForChanges(bob, [query], { prune: true })).toEqual([
			"unchanged query Tenants",
			"deleted schedule B",
			"deleted check A",
		]);
		expect(await readConnection("fab-bob", bob)).toBeDefined();
	});

	it("needs the rights of the connections that it makes and changes", async () => {
		const eve = await t.user("eve-of-connection-files", []);
		await setRights(t, eve, { permissions: ["view_savedquery", "view_controllerconnection"] });
		const files = [buildFile("fab-eve")];
		expect((await eve.api.post(VALIDATE, { files })).status).toBe(200);
		const refused = await applyFiles(eve, files);
		expect(refused.status).toBe(403);
		expect(refused.body.detail).toContain("add_controllerconnection");
		expect((await eve.api.post(APPLY, { files: [buildFile("fab-own")], dry_run: true })).status).toBe(200);
		const foreign = await readConnection("fab-kept", t.admin);
		expect(foreign.created_by.username).toBe("ada");
		expect(await applyForChanges(t.admin, [buildFile("fab-kept", "description: other\n")])).toEqual([
			"created connection fab-kept",
		]);
		expect(await readConnection("fab-kept")).toMatchObject({ description: "Hall 2" });
	});
});
