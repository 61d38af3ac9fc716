/** `weft connection`, and the formats of lists. */
import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startController } from "@weft/lab";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { useCli } from "./support/cli.ts";

const cli = useCli();

describe("weft connection list", () => {
	it("prints the objects of the API in every format", async () => {
		const { body } = await cli.ada.api.get("/api/controller/connections/");
		const json = await cli.weft("connection", "list", "--format", "json");
		expect(JSON.parse(json.stdout)).toEqual(body.results);
		const lines = await cli.weft("--format", "ndjson", "connection", "list");
		expect(
			lines.stdout
				.trim()
				.split("\n")
				.map((line) => JSON.parse(line)),
		).toEqual(body.results);
		const yaml = await cli.weft("connection", "--format", "yaml", "list");
		expect(parse(yaml.stdout)).toEqual(body.results);
		const csv = await cli.weft("connection", "list", "--format", "csv");
		expect(csv.stdout).toMatch(/^name,url,username,active,tested_at,test_ok,id\r\nfab-1,http:/);
		const table = await cli.weft("connection", "list");
		expect(table.stdout).toMatch(/^name +url +.*\nfab-1 +http:/);
		// Colours are for terminals.
		expect(table.stdout).not.toContain("\u001b");
	});

	it("ends with 2 for an unknown format or option", async () => {
		const wrong = await cli.weft("connection", "list", "--format", "xml");
		expect(wrong).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("Allowed choices are") });
		expect(await cli.weft("connection", "list", "--colour")).toMatchObject({ code: 2 });
		expect(await cli.weft("connection")).toMatchObject({ code: 2 });
	});
});

describe("weft connection test", () => {
	it("ends with 0 where the controller answers, and with 1 where it does not", async () => {
		const good = await cli.weft("connection", "test", "fab-1", "--format", "json");
		expect(good).toMatchObject({ code: 0 });
		expect(JSON.parse(good.stdout)).toMatchObject([{ connection: "fab-1", success: true }]);
		cli.lab.setFaults({ login_refused: true });
		const bad = await cli.weft("connection", "test", "fab-1", "--format", "junit");
		expect(bad).toMatchObject({ code: 1, stderr: "" });
		expect(bad.stdout).toContain('<testsuites tests="1" failures="1" errors="0">');
	});

	it("names near names for an unknown one", async () => {
		expect(await cli.weft("connection", "test", "fab1")).toMatchObject({
			code: 2,
			stderr: 'weft: There is no connection "fab1". Did you mean "fab-1"?\n',
		});
		const id = "01890000-0000-7000-8000-000000000000";
		expect(await cli.weft("connection", "test", id)).toMatchObject({ code: 2, stderr: expect.stringContaining(id) });
	});
});

describe("weft connection add", () => {
	it("stores a connection, and prints no password", async () => {
		const { url, username, password } = cli.lab;
		const args = ["connection", "add", "fab-2", url, "--username", username, "--password-stdin", "--insecure"];
		const added = await cli.pipe(password, ...args, "--format", "json");
		expect(added).toMatchObject({ code: 0 });
		expect(added.stdout + added.stderr).not.toContain(password);
		expect(JSON.parse(added.stdout)).toMatchObject({ name: "fab-2", verify_ssl: false, is_public: false });
		expect(await cli.weft("connection", "test", "fab-2")).toMatchObject({ code: 0 });
		const twice = await cli.pipe(password, ...args);
		expect(twice).toMatchObject({ code: 2, stderr: expect.stringMatching(/^weft: name: /) });
	});

	it("sends no secret for an http:// address of another computer without --insecure", async () => {
		const add = (...args: string[]) => cli.pipe("secret", "connection", "add", "plain", ...args, "--username", "weft");
		for (const args of [
			["http://apic.example.com"],
			["https://a.example.com", "--alternate-url", "http://192.0.2.7"],
		]) {
			expect(await add(...args, "--password-stdin")).toMatchObject({
				code: 2,
				stdout: "",
				stderr: expect.stringMatching(/^weft: http:\S+ is not encrypted: .* add --insecure\.$/m),
			});
		}
		const withKey = await add("http://apic.example.com", "--private-key", "-", "--certificate-name", "ci");
		expect(withKey).toMatchObject({ code: 2, stderr: expect.stringContaining("could read the key") });
		expect((await cli.ada.api.get("/api/controllers/?search=plain")).body.results ?? []).toEqual([]);
		expect(await add("http://apic.example.com", "--password-stdin", "--insecure")).toMatchObject({ code: 0 });
	});

	it("stores the addresses of a cluster, and its test names the members", async () => {
		const lab = await startController({ members: 3 });
		try {
			const [one = "", two = "", three = ""] = lab.members.map(({ url }) => url);
			const args = ["connection", "add", "cluster-1", one, "--alternate-url", two, "--alternate-url", three];
			const added = await cli.pipe(
				lab.password,
				...args,
				"--username",
				"admin",
				"--password-stdin",
				"--format",
				"json",
			);
			expect(JSON.parse(added.stdout)).toMatchObject({ url: one, alternate_urls: [two, three] });
			await lab.members[2]?.setFaults({ down: true });
			const tested = await cli.weft("connection", "test", "cluster-1", "--format", "json");
			expect(JSON.parse(tested.stdout)).toMatchObject([
				{
					success: true,
					fabric_id: "weft-fabric/FDO20000001",
					members: [{ name: "apic1", state: "ok" }, { name: "apic2", state: "ok" }, { url: three, state: "down" }, {}],
					suggested_urls: [],
				},
			]);
			const table = await cli.weft("connection", "test", "cluster-1");
			expect(table.stdout).toContain("apic1 ok, apic2 ok");
		} finally {
			await lab.close();
		}
	});

	it("names the field that is wrong", async () => {
		const wrong = await cli.pipe("x", "connection", "add", "fab-3", "fab", "--username", "a", "--password-stdin");
		expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("url: Must start with http") });
		expect(await cli.weft("connection", "add", "fab-3", cli.lab.url)).toMatchObject({ code: 2 });
	});

	it("stores the fingerprint of a trusted certificate", async () => {
		const add = (name: string, pin: string) => {
			const args = [name, cli.lab.url, "--username", "a", "--password-stdin", "--pinned-certificate", pin];
			return cli.pipe("x", "connection", "add", ...args, "--format", "json");
		};
		const { stdout } = await add("fab-pinned", "ab".repeat(32));
		expect(JSON.parse(stdout).pinned_certificate).toBe(Array(32).fill("AB").join(":"));
		expect(await add("fab-4", "ab")).toMatchObject({
			code: 2,
			stderr: expect.stringMatching(/pinned_certificate: Must/),
		});
	});

	it("stores a certificate's key, and prints nothing of it", async () => {
		const keys = generateKeyPairSync("rsa", { modulusLength: 2_048 });
		const pem = keys.publicKey.export({ type: "spki", format: "pem" }).toString();
		const lab = await startController({ size: "empty", certificates: [{ user: "weft", name: "ci", pem }] });
		try {
			const passphrase = "planted passphrase";
			const [plain, encrypted] = [join(cli.home, "plain.key"), join(cli.home, "encrypted.key")];
			const key = keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
			await writeFile(plain, key);
			await writeFile(
				encrypted,
				keys.privateKey.export({ type: "pkcs1", format: "pem", cipher: "aes-256-cbc", passphrase }),
			);
			const dn = "uni/userext/user-weft/usercert-ci";
			const add = (name: string, ...rest: string[]) => [
				"connection",
				"add",
				name,
				lab.url,
				...rest,
				"--format",
				"json",
			];
			const named = ["--username", "weft", "--certificate-name", "ci"];
			for (const ended of [
				await cli.weft(...add("signed-1", "--certificate-dn", dn, "--private-key", plain)),
				await cli.pipe(key, ...add("signed-2", ...named, "--private-key", "-")),
				await cli.pipe(passphrase, ...add("signed-3", ...named, "--private-key", encrypted, "--passphrase-stdin")),
			]) {
				expect(ended).toMatchObject({ code: 0, stderr: "" });
				expect(JSON.parse(ended.stdout)).toMatchObject({ certificate_dn: dn, private_key_configured: true });
				expect(ended.stdout).not.toContain(passphrase);
				expect(ended.stdout).not.toContain("PRIVATE KEY");
			}
			expect(await cli.weft("connection", "test", "signed-1", "signed-2", "signed-3")).toMatchObject({ code: 0 });
			for (const [args, message] of [
				[["--certificate-dn", dn], "--private-key"],
				[["--private-key", plain], "--certificate-dn"],
				[["--private-key", plain, "--certificate-dn", "weft"], "certificate_dn: Must be uni/userext"],
				[["--private-key", encrypted, "--certificate-dn", dn], "--passphrase-stdin"],
				[["--private-key", plain, "--certificate-dn", dn, "--password-stdin"], "either --private-key or"],
				[["--private-key", join(cli.home, "missing.key"), "--certificate-dn", dn], "missing.key"],
			] as const) {
				const wrong = await cli.weft(...add("signed-4", ...args));
				expect(wrong).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
			}
		} finally {
			await lab.close();
		}
	});
});
