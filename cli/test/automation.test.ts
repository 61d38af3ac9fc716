/** `weft automation`: rows from files, approval, launch, and output to the end of a job. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { RunningAutomation } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API, REQUESTS, startServer } from "../../server/test/support/automation.ts";
import { buildClassNode, connectNodes, output } from "../../server/test/support/canvases.ts";
import { type TestUser, waitUntil } from "../../server/test/support/harness.ts";
import { BIN, signIn, useCli } from "./support/cli.ts";

/** Whether a command can be run on a terminal of its own (`script` of util-linux). */
const hasTerminal = spawnSync("script", ["--version"]).status === 0;

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
	server = await createResource(`${API}connections/`, {
		name: "AWX",
		base_url,
		oauth_token,
		username: "admin",
		is_public: true,
	});
	await createTemplate("VLANs");
	await createTemplate("Reviewed VLANs", { requires_approval: true });
});
afterAll(() => automation.close());

async function createResource(path: string, body: object): Promise<string> {
	const { status, body: answer, text } = await alice.api.post(path, body);
	expect(status, text).toBe(201);
	return answer.id;
}
const createTemplate = (name: string, more: object = {}) =>
	createResource(`${API}templates/`, {
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
const runAutomation = (profile: string, ...args: string[]) => cli.weft("--profile", profile, "automation", ...args);

async function writeInputFile(name: string, text: string): Promise<string> {
	const path = join(cli.home, name);
	await writeFile(path, text);
	return path;
}
const findRequestsTitled = async (title: string) =>
	(await alice.api.get(`${REQUESTS}?search=${encodeURIComponent(title)}`)).body.results;

type Answer = Readonly<Record<string, unknown>>;

/** Runs `work` with a profile "relayed", whose answers of the service are rewritten. */
async function withRelay(rewrite: (url: string, answer: Answer) => Answer, work: () => Promise<void>): Promise<void> {
	const relay = createServer(async (request, response) => {
		const body = request.method === "GET" ? null : Buffer.concat(await request.toArray());
		const { authorization = "", "content-type": type = "application/json" } = request.headers;
		const answer = await fetch(`${cli.url}${request.url}`, {
			method: request.method ?? "GET",
			headers: { authorization, "content-type": type },
			body,
		});
		response.writeHead(answer.status, { "content-type": "application/json" });
		response.end(JSON.stringify(rewrite(request.url ?? "", (await answer.json()) as Answer)));
	});
	await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
	try {
		const url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
		await signIn({ ...cli, url }, alice, "--profile", "relayed");
		await work();
	} finally {
		relay.closeAllConnections();
		relay.close();
	}
}

describe("weft automation", () => {
	it("lists the templates", async () => {
		const { code, stdout } = await runAutomation("alice", "templates", "--search", "vlan", "--format", "json");
		expect(code).toBe(0);
		expect(JSON.parse(stdout).map(({ name }: { name: string }) => name)).toEqual(["Reviewed VLANs", "VLANs"]);
	});

	it("launches a job for the rows of a CSV file, and prints its output to the end", async () => {
		const rows = await writeInputFile("rows.csv", "name,rc\r\nr1,0\r\nr2,0\r\n");
		const args = ["VLANs", "--title", "Rack 7", "--rows", rows, "--dry-run", "--launch", "--format", "json"];
		const launched = await runAutomation("alice", "request", ...args);
		expect(launched).toMatchObject({ code: 0, stderr: "" });
		expect(JSON.parse(launched.stdout)).toMatchObject({ title: "Rack 7", row_count: 2, check_mode: true });
		const watched = await runAutomation("alice", "watch", "Rack 7");
		expect(watched.code, watched.stderr).toBe(0);
		expect(watched.stdout).toContain("PLAY RECAP");
		expect(watched.stderr).toContain("Rack 7: successful");
		const output = await runAutomation("alice", "output", "Rack 7");
		expect(output.stdout.trim()).toBe(watched.stdout.trim());
	});

	it("names the change plan of a request", async () => {
		const connection = { url: "https://127.0.0.1:1", username: "admin", password: "secret", verify_ssl: false };
		await createResource("/api/controller/connections/", { name: "fab-plan", ...connection });
		const flow_data = connectNodes(buildClassNode("fvBD"), output);
		const query = await createResource("/api/queries/saved-queries/", {
			name: "Domains",
			flow_data,
			enable_time_machine: true,
		});
		const change_plan = await createResource("/api/change-plans/", {
			name: "Domains before and after",
			items: [{ query }],
		});
		const rows = await writeInputFile("planned.csv", "name\r\nr1\r\n");
		const args = ["VLANs", "--title", "Planned", "--rows", rows, "--plan", "Domains before and after"];
		const made = await runAutomation("alice", "request", ...args, "--controller", "fab-plan", "--format", "json");
		expect(made.code, made.stderr).toBe(0);
		expect(JSON.parse(made.stdout)).toMatchObject({ change_plan, change_plan_revision: 1, change_window: null });
		const untargeted = await runAutomation("alice", "request", ...args);
		expect(untargeted).toMatchObject({ code: 2, stderr: expect.stringContaining("target_controller") });
		const missing = await runAutomation("alice", "request", ...args.slice(0, 5), "--window", "CHG1");
		expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("CHG1") });
	});

	it("prints an output once that is whole before its request has ended", async () => {
		const [{ id }] = await findRequestsTitled("Rack 7");
		let details = 0;
		// Says for two answers that the request still runs.
		await withRelay(
			(url, answer) => (url === `${REQUESTS}${id}/` && ++details <= 2 ? { ...answer, status: "running" } : answer),
			async () => {
				const watched = await runAutomation("relayed", "watch", "Rack 7");
				expect(watched.code, watched.stderr).toBe(0);
				expect(details).toBeGreaterThan(2);
				expect(watched.stdout.split("PLAY RECAP")).toHaveLength(2);
			},
		);
	});

	it("removes a sequence that controls a terminal from two answers that share it", async () => {
		const parts = ["one\u001b", "[0;3", "2mtwo\u001b[", "1mthree\u001b[0"];
		await withRelay(
			(url, answer) => {
				if (!url.includes("/output/")) return answer;
				const offset = Number(new URL(url, cli.url).searchParams.get("offset"));
				return { ...answer, stdout: parts[offset], next_offset: offset + 1, complete: offset === parts.length - 1 };
			},
			async () => {
				const watched = await runAutomation("relayed", "watch", "Rack 7");
				expect(watched.code, watched.stderr).toBe(0);
				expect(watched.stdout).toBe("onetwothree[0");
			},
		);
	});

	it("corrects a rejected request with a comment, and copies it", async () => {
		const first = await writeInputFile("first.csv", "name,rc\r\nr1,0\r\nr2,0\r\n");
		const second = await writeInputFile("second.csv", "name,rc\r\nr1,0\r\n");
		const asked = ["Reviewed VLANs", "--title", "To correct", "--rows", first];
		expect((await runAutomation("alice", "request", ...asked)).code).toBe(0);
		const refused = await runAutomation("alice", "resubmit", "To correct");
		expect([refused.code, refused.stderr]).toEqual([
			2,
			'weft: Request "To correct" is awaiting_approval. Only a rejected request can be resubmitted; use weft automation copy.\n',
		]);
		expect((await runAutomation("bob", "comment", "To correct", "--text", "Why two?")).code).toBe(0);
		expect((await runAutomation("bob", "reject", "To correct", "--reason", "One is enough", "--changes")).code).toBe(0);
		const again = await runAutomation("alice", "resubmit", "To correct", "--rows", second, "--format", "json");
		expect(again.code, again.stderr).toBe(0);
		expect(JSON.parse(again.stdout)).toMatchObject({ status: "awaiting_approval", version: 2, row_count: 1 });
		const history = await runAutomation("alice", "history", "To correct", "--format", "json");
		expect(JSON.parse(history.stdout).map(({ action, comment }: Record<string, string>) => [action, comment])).toEqual([
			["created", ""],
			["commented", "Why two?"],
			["changes_requested", "One is enough"],
			["changed", ""],
		]);
		const copied = await runAutomation("alice", "copy", "To correct", "--format", "json");
		expect(JSON.parse(copied.stdout)).toMatchObject({ title: "Copy of To correct", row_count: 1 });
		const wrong = await runAutomation("alice", "copy", "To correct", "--rows", "some");
		expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("all, failed, unknown")]);
	});

	it("names the cells that keep a request from being copied", async () => {
		const id = await createTemplate("Racks");
		const rows = await writeInputFile("racks.csv", "name,rc\r\nr1,0\r\n");
		expect((await runAutomation("alice", "request", "Racks", "--title", "Old racks", "--rows", rows)).code).toBe(0);
		const schema = ["name", "site"].map((name) => ({ name, field_type: "text", required: true }));
		const changed = await alice.api.patch(`${API}templates/${id}/`, { schema });
		expect(changed.status, changed.text).toBe(200);
		const refused = await runAutomation("alice", "copy", "Old racks");
		expect(refused).toMatchObject({ code: 2, stdout: "" });
		expect(refused.stderr).toContain("Old racks: row 0, column site: ");
		expect(refused.stderr).not.toContain("[object Object]");
	});

	it("needs the template of a request for new rows", async () => {
		const id = await createTemplate("Short-lived", { requires_approval: true });
		const rows = await writeInputFile("short.csv", "name,rc\r\nr1,0\r\n");
		const asked = ["Short-lived", "--title", "Without template", "--rows", rows];
		expect((await runAutomation("alice", "request", ...asked)).code).toBe(0);
		expect((await runAutomation("bob", "reject", "Without template", "--reason", "Not now")).code).toBe(0);
		expect((await alice.api.del(`${API}templates/${id}/`)).status).toBe(204);
		const refused = await runAutomation("alice", "resubmit", "Without template", "--rows", rows);
		expect([refused.code, refused.stderr]).toEqual([
			2,
			'weft: The template of "Without template" is deleted. Make a new request with another template.\n',
		]);
	});

	it("ends with 1 for a job that failed", async () => {
		const json = JSON.stringify([{ name: "r1", rc: 1 }]);
		const args = ["--profile", "alice", "automation", "request", "VLANs", "--title", "Bad", "--rows", "-", "--launch"];
		expect(await cli.pipe(json, ...args)).toMatchObject({ code: 0 });
		const watched = await runAutomation("alice", "watch", "bad");
		expect(watched.code).toBe(1);
		expect(watched.stderr).toContain("weft: The request is failed.");
	});

	it("names file, row and column of a wrong cell, and makes no request", async () => {
		const rows = await writeInputFile("wrong.csv", "name,rc\r\nr1,x\r\n");
		const { code, stderr } = await runAutomation("alice", "request", "VLANs", "--title", "Wrong", "--rows", rows);
		expect(code).toBe(2);
		expect(stderr).toMatch(/wrong\.csv: row \d+, column rc: /);
		expect(await findRequestsTitled("Wrong")).toEqual([]);
	});

	it.each([
		["missing.csv", "", /cannot be read \(ENOENT\)/],
		["rows.txt", "name", /is none of CSV, XLSX and JSON/],
		["rows.json", "{", /is no JSON/],
	])("ends with 2 for the rows of %s", async (name, text, message) => {
		const path = name.startsWith("missing") ? join(cli.home, name) : await writeInputFile(name, text);
		const { code, stderr } = await runAutomation("alice", "request", "VLANs", "--title", "No", "--rows", path);
		expect(code).toBe(2);
		expect(stderr).toMatch(message);
	});

	it("refuses a credential that is no number, which would be left out", async () => {
		const rows = await writeInputFile("credential.json", JSON.stringify([{ name: "r1" }]));
		const args = ["request", "VLANs", "--title", "No credential", "--rows", rows, "--credential", "prod"];
		const { code, stderr } = await runAutomation("alice", ...args);
		expect(code).toBe(2);
		expect(stderr).toContain('"prod" is not the id of a credential');
	});

	it("makes one request for one key", async () => {
		const rows = await writeInputFile("key.json", JSON.stringify([{ name: "r1" }]));
		for (let i = 0; i < 2; i++)
			expect(
				await runAutomation("alice", "request", "VLANs", "--title", "Once", "--rows", rows, "--key", "k1"),
			).toMatchObject({
				code: 0,
			});
		expect(await findRequestsTitled("Once")).toHaveLength(1);
	});

	it("lets another user approve or reject what was read, and nobody their own", async () => {
		const rows = await writeInputFile("reviewed.json", JSON.stringify([{ name: "r1" }]));
		const request = (title: string, ...more: string[]) =>
			runAutomation("alice", "request", "Reviewed VLANs", "--title", title, "--rows", rows, ...more);
		expect(await request("Early", "--launch")).toMatchObject({
			code: 3,
			stderr: expect.stringContaining("awaits approval"),
		});
		expect(await runAutomation("alice", "approve", "Early")).toMatchObject({ code: 3 });
		const approved = await runAutomation("bob", "approve", "Early", "--comment", "fine", "--format", "json");
		expect(approved.stderr).toBe("");
		expect(JSON.parse(approved.stdout)).toMatchObject({ status: "approved", approval_comment: "fine" });
		expect(await runAutomation("alice", "launch", "Early")).toMatchObject({ code: 0 });
		await request("Late");
		const rejected = await runAutomation("bob", "reject", "Late", "--reason", "wrong rack", "--format", "json");
		expect(JSON.parse(rejected.stdout)).toMatchObject({ status: "rejected", rejection_reason: "wrong rack" });
		const watched = await runAutomation("alice", "watch", "Late");
		expect(watched).toMatchObject({ code: 1, stderr: expect.stringContaining("wrong rack") });
	});

	/** A request that awaits approval: its id, and a change of its rows by its requester. */
	async function proposeRequest(title: string) {
		const rows = await writeInputFile("proposed.json", JSON.stringify([{ name: "before" }]));
		await runAutomation("alice", "request", "Reviewed VLANs", "--title", title, "--rows", rows);
		const [{ id }] = await findRequestsTitled(title);
		const change = async () => {
			const { status } = await alice.api.patch(`${REQUESTS}${id}/`, { input_data: [{ name: "after" }] });
			expect(status).toBe(200);
		};
		return { id, change };
	}
	const readVersion = async (title: string): Promise<string> =>
		JSON.parse((await runAutomation("bob", "show", title, "--format", "json")).stdout).updated_at;

	it("shows what there is to approve, and refuses the decision on a request that has changed since", async () => {
		const { change } = await proposeRequest("Read first");
		const shown = await runAutomation("bob", "show", "Read first");
		expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^input_data +.*before/m) });
		const read = await readVersion("Read first");
		expect(shown.stdout).toContain(read);
		await change();
		const stale = await runAutomation("bob", "approve", "Read first", "--updated-at", read);
		expect(stale.code).not.toBe(0);
		expect(stale.stderr).toContain("changed");
		const rejected = await runAutomation("bob", "reject", "Read first", "--reason", "no", "--updated-at", read);
		expect(rejected.code).not.toBe(0);
		expect((await findRequestsTitled("Read first"))[0].status).toBe("awaiting_approval");
		const now = await readVersion("Read first");
		expect(await runAutomation("bob", "approve", "Read first", "--updated-at", now)).toMatchObject({ code: 0 });
		expect((await findRequestsTitled("Read first"))[0].status).toBe("approved");
	});

	it.skipIf(!hasTerminal)(
		"asks on a terminal, after it has shown the request, and approves only what it has shown",
		async () => {
			const { change } = await proposeRequest("Asked for");
			/** Answers the question of `weft automation approve` on a terminal. */
			async function decideRequest(answer: string, before = async () => {}) {
				const command = `'${process.execPath}' '${BIN}' --profile bob automation approve 'Asked for'`;
				const child = spawn("script", ["-qec", command, "/dev/null"], {
					env: { PATH: process.env.PATH, XDG_CONFIG_HOME: cli.home, TERM: "dumb" },
				});
				let shown = "";
				child.stdout.setEncoding("utf8").on("data", (text: string) => {
					shown += text;
				});
				await waitUntil("the question", () => shown.includes("[y/N]"));
				await before();
				child.stdin.write(answer);
				const [code] = await once(child, "close");
				return { code, shown, status: (await findRequestsTitled("Asked for"))[0].status };
			}
			const declined = await decideRequest("\r");
			expect(declined).toMatchObject({ code: 1, status: "awaiting_approval" });
			expect(declined.shown).toMatch(/input_data +.*before/);
			expect(declined.shown).toContain("The request was not approved.");
			const stale = await decideRequest("y\r", change);
			expect(stale.code).not.toBe(0);
			expect(stale).toMatchObject({
				status: "awaiting_approval",
				shown: expect.stringContaining("changed"),
			});
			const approved = await decideRequest("yes\r");
			expect(approved).toMatchObject({ code: 0, status: "approved" });
			expect(approved.shown).toMatch(/input_data +.*after/);
		},
	);
});
