/** `weft automation`: rows from files, approval, launch, and output to the end of a job. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunningAutomation } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API, REQUESTS, startServer } from "../../server/test/support/automation.ts";
import type { TestUser } from "../../server/test/support/harness.ts";
import { signIn, useCli } from "./support/cli.ts";

const cli = useCli();
let automation: RunningAutomation;
let alice: TestUser;
let bob: TestUser;
let server: string;
beforeAll(async () => {
	automation = await startServer();
	alice = await cli.t.user("alice", ["Operator"]);
	bob = await cli.t.user("bob", ["Admin"]);
	await signIn(cli, alice, "--profile", "alice");
	await signIn(cli, bob, "--profile", "bob");
	const { base_url, oauth_token } = { base_url: automation.url, oauth_token: automation.token };
	server = await made(`${API}connections/`, { name: "AWX", base_url, oauth_token, username: "admin", is_public: true });
	await template("VLANs");
	await template("Reviewed VLANs", { requires_approval: true });
});
afterAll(() => automation.close());

async function made(path: string, body: object): Promise<string> {
	const { status, body: answer, text } = await alice.api.post(path, body);
	expect(status, text).toBe(201);
	return answer.id;
}
const template = (name: string, more: object = {}) =>
	made(`${API}templates/`, {
		name,
		automation_connection: server,
		automation_job_template_id: 22,
		is_public: true,
		schema: [
			{ name: "name", field_type: "text", required: true },
			{ name: "rc", field_type: "number" },
		],
		...more,
	});
const as = (profile: string, ...args: string[]) => cli.weft("--profile", profile, "automation", ...args);

async function file(name: string, text: string): Promise<string> {
	const path = join(cli.home, name);
	await writeFile(path, text);
	return path;
}
const requestsTitled = async (title: string) =>
	(await alice.api.get(`${REQUESTS}?search=${encodeURIComponent(title)}`)).body.results;

describe("weft automation", () => {
	it("lists the templates", async () => {
		const { code, stdout } = await as("alice", "templates", "--search", "vlan", "--format", "json");
		expect(code).toBe(0);
		expect(JSON.parse(stdout).map(({ name }: { name: string }) => name)).toEqual(["Reviewed VLANs", "VLANs"]);
	});

	it("launches a job for the rows of a CSV file, and prints its output to the end", async () => {
		const rows = await file("rows.csv", "name,rc\r\nr1,0\r\nr2,0\r\n");
		const args = ["VLANs", "--title", "Rack 7", "--rows", rows, "--dry-run", "--launch", "--format", "json"];
		const launched = await as("alice", "request", ...args);
		expect(launched).toMatchObject({ code: 0, stderr: "" });
		expect(JSON.parse(launched.stdout)).toMatchObject({ title: "Rack 7", row_count: 2, check_mode: true });
		const watched = await as("alice", "watch", "Rack 7");
		expect(watched.code, watched.stderr).toBe(0);
		expect(watched.stdout).toContain("PLAY RECAP");
		expect(watched.stderr).toContain("Rack 7: successful");
		const output = await as("alice", "output", "Rack 7");
		expect(output.stdout.trim()).toBe(watched.stdout.trim());
	});

	it("ends with 1 for a job that failed", async () => {
		const json = JSON.stringify([{ name: "r1", rc: 1 }]);
		const args = ["--profile", "alice", "automation", "request", "VLANs", "--title", "Bad", "--rows", "-", "--launch"];
		expect(await cli.pipe(json, ...args)).toMatchObject({ code: 0 });
		const watched = await as("alice", "watch", "bad");
		expect(watched.code).toBe(1);
		expect(watched.stderr).toContain("weft: The request is failed.");
	});

	it("names file, row and column of a wrong cell, and makes no request", async () => {
		const rows = await file("wrong.csv", "name,rc\r\nr1,x\r\n");
		const { code, stderr } = await as("alice", "request", "VLANs", "--title", "Wrong", "--rows", rows);
		expect(code).toBe(2);
		expect(stderr).toMatch(/wrong\.csv: row \d+, column rc: /);
		expect(await requestsTitled("Wrong")).toEqual([]);
	});

	it.each([
		["missing.csv", "", /cannot be read \(ENOENT\)/],
		["rows.txt", "name", /is none of CSV, XLSX and JSON/],
		["rows.json", "{", /is no JSON/],
	])("ends with 2 for the rows of %s", async (name, text, message) => {
		const path = name.startsWith("missing") ? join(cli.home, name) : await file(name, text);
		const { code, stderr } = await as("alice", "request", "VLANs", "--title", "No", "--rows", path);
		expect(code).toBe(2);
		expect(stderr).toMatch(message);
	});

	it("makes one request for one key", async () => {
		const rows = await file("key.json", JSON.stringify([{ name: "r1" }]));
		for (let i = 0; i < 2; i++)
			expect(await as("alice", "request", "VLANs", "--title", "Once", "--rows", rows, "--key", "k1")).toMatchObject({
				code: 0,
			});
		expect(await requestsTitled("Once")).toHaveLength(1);
	});

	it("lets another user approve or reject what was read, and nobody their own", async () => {
		const rows = await file("reviewed.json", JSON.stringify([{ name: "r1" }]));
		const request = (title: string, ...more: string[]) =>
			as("alice", "request", "Reviewed VLANs", "--title", title, "--rows", rows, ...more);
		expect(await request("Early", "--launch")).toMatchObject({
			code: 3,
			stderr: expect.stringContaining("awaits approval"),
		});
		expect(await as("alice", "approve", "Early")).toMatchObject({ code: 3 });
		const approved = await as("bob", "approve", "Early", "--comment", "fine", "--format", "json");
		expect(approved.stderr).toBe("");
		expect(JSON.parse(approved.stdout)).toMatchObject({ status: "approved", approval_comment: "fine" });
		expect(await as("alice", "launch", "Early")).toMatchObject({ code: 0 });
		await request("Late");
		const rejected = await as("bob", "reject", "Late", "--reason", "wrong rack", "--format", "json");
		expect(JSON.parse(rejected.stdout)).toMatchObject({ status: "rejected", rejection_reason: "wrong rack" });
		const watched = await as("alice", "watch", "Late");
		expect(watched).toMatchObject({ code: 1, stderr: expect.stringContaining("wrong rack") });
	});
});
