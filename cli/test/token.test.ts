/** `weft token`: creating, listing and revoking, and the service with a token in WEFT_TOKEN. */
import type { IncomingMessage } from "node:http";
import { beforeAll, describe, expect, it } from "vitest";
import { signIn, useCli } from "./support/cli.ts";

const cli = useCli();
beforeAll(async () => {
	expect(await signIn(cli, cli.t.admin, "--profile", "root")).toMatchObject({ code: 0 });
});
const runTokenCommand = (...args: string[]) => cli.weft("token", ...args);
const withToken = (secret: string, ...args: string[]) =>
	cli.run(args, { environment: { WEFT_URL: cli.url, WEFT_TOKEN: secret, XDG_CONFIG_HOME: "/nowhere" } });

describe("weft token", () => {
	it("creates a token that works until it is revoked", async () => {
		const made = await runTokenCommand("create", "ci", "--expires-in-days", "30", "--format", "json");
		expect(made).toMatchObject({ code: 0, stderr: "Store the token now: it is not shown again.\n" });
		const { token: secret, id } = JSON.parse(made.stdout);
		expect(secret).toMatch(/^weft_pat_[0-9A-Za-z]{49}$/);
		expect(await withToken(secret, "status", "--format", "json")).toMatchObject({
			code: 0,
			stdout: expect.stringContaining('"username": "ada"'),
		});
		const list = await runTokenCommand("list", "--format", "json");
		expect(JSON.parse(list.stdout)).toMatchObject([{ id, name: "ci", owner: { username: "ada" } }]);
		expect(list.stdout).not.toContain(secret);
		expect(await runTokenCommand("revoke", "ci")).toMatchObject({ code: 0, stdout: "" });
		expect(await withToken(secret, "status")).toMatchObject({ code: 3 });
	});

	it("limits a token to reading, to permissions and to networks", async () => {
		const reader = await runTokenCommand("create", "reader", "--read-only", "--format", "json");
		const { token: secret } = JSON.parse(reader.stdout);
		expect(await withToken(secret, "connection", "list")).toMatchObject({ code: 0 });
		expect(await withToken(secret, "connection", "test", "fab-1")).toMatchObject({
			code: 3,
			stderr: expect.stringContaining("read-only"),
		});
		const narrow = await runTokenCommand("create", "narrow", "--permission", "view_savedquery", "--format", "json");
		expect(await withToken(JSON.parse(narrow.stdout).token, "query", "list")).toMatchObject({ code: 0 });
		expect(await withToken(JSON.parse(narrow.stdout).token, "connection", "list")).toMatchObject({ code: 3 });
		const far = await runTokenCommand("create", "far", "--address", "192.0.2.0/24", "--format", "json");
		expect(await withToken(JSON.parse(far.stdout).token, "status")).toMatchObject({ code: 3 });
	});

	it("is refused to tokens", async () => {
		const made = await runTokenCommand("create", "other", "--format", "json");
		for (const args of [["list"], ["create", "more"], ["revoke", "other"]])
			expect(await withToken(JSON.parse(made.stdout).token, "token", ...args)).toMatchObject({ code: 3, stdout: "" });
	});

	it("serves administrators for service accounts and for all users", async () => {
		const account = { username: "svc-ansible", auth_source: "service" };
		expect((await cli.t.admin.api.post("/api/auth/management/", account)).status).toBe(201);
		const made = await runTokenCommand(
			"create",
			"ansible",
			"--user",
			"svc-ansible",
			"--profile",
			"root",
			"--format",
			"json",
		);
		expect(made, made.stderr).toMatchObject({ code: 0 });
		expect(JSON.parse(made.stdout).owner.username).toBe("svc-ansible");
		const forAccount = ["create", "x", "--user", "svc-ansible", "--profile", "root", "--permission"];
		expect(await runTokenCommand(...forAccount, "view_savedquery")).toMatchObject({ code: 0 });
		expect(await runTokenCommand(...forAccount, "delete_user")).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('The account does not have the permission "delete_user"'),
		});
		const all = await runTokenCommand("list", "--all", "--profile", "root", "--format", "ndjson");
		expect(all.stdout).toContain('"username":"ada"');
		const own = await runTokenCommand("list", "--user", "svc-ansible", "--profile", "root", "--format", "ndjson");
		expect(own.stdout.trim().split("\n")).toHaveLength(2);
		expect(await runTokenCommand("list", "--all")).toMatchObject({ code: 3 });
	});

	it("looks a user up by name, and lists all users only to suggest names", async () => {
		await cli.t.user("grace.hopper");
		const searches: (string | null)[] = [];
		const { server } = cli.t.app.server;
		const record = ({ url = "" }: IncomingMessage) => {
			const { pathname, searchParams } = new URL(url, cli.url);
			if (pathname === "/api/auth/management/") searches.push(searchParams.get("search"));
		};
		server.on("request", record);
		const list = (user: string) => runTokenCommand("list", "--user", user, "--profile", "root", "--format", "json");
		expect(await list("grace.hopper")).toMatchObject({ code: 0, stdout: "[]\n" });
		expect(searches).toEqual(["grace.hopper"]);
		expect(await list("grace.hoper")).toMatchObject({
			code: 2,
			stderr: 'weft: There is no user "grace.hoper". Did you mean "grace.hopper"?\n',
		});
		expect(await list("grace")).toMatchObject({ code: 2, stderr: expect.stringContaining('no user "grace"') });
		server.off("request", record);
		expect(searches).toEqual(["grace.hopper", "grace.hoper", null, "grace", null]);
	});

	it("ends with 2 for bad input", async () => {
		expect(await runTokenCommand("create", "x", "--expires-in-days", "0")).toMatchObject({ code: 2 });
		expect(await runTokenCommand("create", "x", "--expires-at", "2 days ago")).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("expires_at"),
		});
		expect(await runTokenCommand("create", "x", "--permission", "view_savedquerys")).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('Did you mean "view_savedquery"'),
		});
		expect(await runTokenCommand("create", "x", "--address", "here")).toMatchObject({ code: 2 });
		expect(await runTokenCommand("revoke", "no such token")).toMatchObject({ code: 2 });
	});
});
