/**
 * The commands of docs/install-debian.md and docs/upgrade.md, all of them in their order, in a
 * Debian that has nothing else: install, upgrade, go back, uninstall. There is no systemd in it, so
 * the unit is verified, and the service is started as the unit says.
 */
import { execFile } from "node:child_process";
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { findNpmFolder, makeDebian } from "../../../scripts/publish/debian.mjs";
import { freePort } from "../support/free-port.ts";
import { countQuestions, listQuestionFiles } from "../support/gallery-service.ts";
import { TEST_PASSWORD, waitUntil } from "../support/harness.ts";
import { explainWhyNot, isOfTheMachine, type OwnRoot, openRoot } from "../support/own-root.ts";
import { NPM_SETTINGS, root as project } from "../support/packed.ts";
import type { Started } from "../support/spawned.ts";

const execute = promisify(execFile);
const LONG_MS = 900_000;
/** Where the commands are run. */
const FOLDER = "/root/package";
const DOCUMENTS = ["docs/install-debian.md", "docs/upgrade.md"];
/** Commands of systemd, and what they do to the service. */
const SYSTEMD: Readonly<Record<string, "start" | "stop" | "restart" | "nothing">> = {
	"systemctl daemon-reload": "nothing",
	"systemctl reload nginx": "nothing",
	"systemctl enable --now weft": "start",
	"systemctl disable --now weft": "stop",
	"systemctl restart weft": "restart",
	"systemctl start weft": "start",
	"systemctl stop weft": "stop",
};

/** Adds a user to the service that runs. */
const CREATE_USER =
	`runuser -u weft -- env WEFT_DATA_DIR=/var/lib/weft WEFT_PASSWORD='${TEST_PASSWORD}' ` +
	"/opt/weft/node_modules/.bin/weft-server admin create-user ada";

const reason = explainWhyNot(["mmdebstrap"]);
if (reason !== null) process.stderr.write(`skipped: the installation on Debian: ${reason}\n`);

/** Commands of the blocks of a document that are marked as shell. */
async function listCommands(document: string): Promise<string[]> {
	const text = await readFile(join(project, document), "utf8");
	const blocks = [...text.matchAll(/^( *)```sh\n([\s\S]*?)^\1```/gm)].map(([, , block]) => block ?? "");
	return blocks.flatMap((block) => block.trim().split("\n")).map((line) => line.trim());
}

/** A Debian with this Node.js and npm, and the package of a release. */
async function prepareDebian(place: string): Promise<void> {
	makeDebian(place, ["curl", "libstdc++6", "passwd", "systemd"]);
	await copyFile(process.execPath, join(place, "usr/bin/node"));
	await chmod(join(place, "usr/bin/node"), 0o755);
	await mkdir(join(place, "usr/lib/node_modules"), { recursive: true });
	await cp(findNpmFolder(), join(place, "usr/lib/node_modules/npm"), { recursive: true });
	await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(place, "usr/bin/npm"));
	await copyFile("/etc/resolv.conf", join(place, "etc/resolv.conf"));
	const authority = process.env.NODE_EXTRA_CA_CERTS;
	if (authority) await copyFile(authority, join(place, "etc/authority.pem"));
	const packed = join(place, FOLDER);
	await mkdir(packed);
	const options = ["release", "--dry-run", "--folder", packed];
	await execute(process.execPath, ["scripts/run.mjs", ...options], { cwd: project });
}

describe.skipIf(reason !== null)("on Debian", () => {
	it("is installed, upgraded, taken back and removed as documented", { timeout: LONG_MS }, async ({ skip }) => {
		const place = await mkdtemp("/var/tmp/weft-debian-");
		await chmod(place, 0o755);
		const port = await freePort();
		const url = `http://127.0.0.1:${port}`;
		let service: Started | null = null;
		let debian: OwnRoot | null = null;

		const runningDebian = (): OwnRoot => {
			if (debian === null) throw new Error("There is no Debian yet.");
			return debian;
		};

		const inDebian = (command: readonly string[], workFolder: string) =>
			runningDebian().start(command, {
				user: "root:root",
				workFolder,
				environment: [
					"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
					"HOME=/root",
					"NODE_EXTRA_CA_CERTS=/etc/authority.pem",
					...Object.entries(NPM_SETTINGS).map(([name, value]) => `${name}=${value}`),
				],
			});

		/** As systemd does it. */
		async function startUnit(): Promise<void> {
			const unit = await readFile(join(place, "etc/systemd/system/weft.service"), "utf8");
			const setting = (name: string) => new RegExp(`^${name}=-?(.*)$`, "m").exec(unit)?.[1] ?? "";
			const user = setting("User");
			const settings = await readFile(join(place, setting("EnvironmentFile")), "utf8");
			const folder = `/var/lib/${setting("StateDirectory")}`;
			const mode = setting("StateDirectoryMode");
			await inDebian(["install", "-d", "-m", mode, "-o", user, "-g", setting("Group"), folder], "/").ended;
			service = runningDebian().start(setting("ExecStart").split(" "), {
				user: `${user}:${setting("Group")}`,
				workFolder: setting("WorkingDirectory"),
				environment: [
					...setting("Environment").split(" "),
					...settings.split("\n").filter((line) => /^\w+=./.test(line)),
					`WEFT_PORT=${port}`,
					`WEFT_ADMIN_PASSWORD=${TEST_PASSWORD}`,
				],
			});
			const { output } = service;
			await waitUntil(
				"the service answers",
				async () => {
					if (service?.child.exitCode !== null) throw new Error(`The service ended: ${output.stderr}`);
					return fetch(`${url}/api/health/`).catch(() => null);
				},
				60_000,
			);
		}

		async function stopUnit(): Promise<void> {
			service?.child.kill("SIGTERM");
			const ended = await service?.ended;
			service = null;
			expect(ended?.code, ended?.stderr).toBe(0);
		}

		async function runCommand(command: string): Promise<void> {
			const act = SYSTEMD[command];
			if (act === "stop" || act === "restart") await stopUnit();
			if (act === "start" || act === "restart") await startUnit();
			if (act !== undefined) return;
			// The tests have a port of their own, and one version.
			const adapted = command.replace("127.0.0.1:8080", `127.0.0.1:${port}`).replace("-OLD.tgz", "-*.tgz");
			const { code, stdout, stderr } = await inDebian(["sh", "-c", adapted], FOLDER).ended;
			expect(code, `${command}\n${stdout}\n${stderr}`).toBe(0);
		}

		const signIn = async (username: string): Promise<number> => {
			const body = JSON.stringify({ username, password: TEST_PASSWORD });
			const headers = { "content-type": "application/json" };
			return (await fetch(`${url}/api/auth/login/`, { method: "POST", headers, body })).status;
		};

		try {
			await prepareDebian(place).catch((error: Error) => {
				if (!isOfTheMachine(error)) throw error;
				process.stderr.write(`skipped: a Debian cannot be made here: ${error.message.slice(-1_000)}\n`);
				return skip("a Debian cannot be made here");
			});
			debian = await openRoot(place);
			const [install = [], upgrade = []] = await Promise.all(DOCUMENTS.map(listCommands));
			for (const command of install) await runCommand(command);
			expect(await signIn("admin")).toBe(200);
			expect(await countQuestions(url)).toBe((await listQuestionFiles()).length);
			// A start makes the first user, so only another one shows that data came back.
			await runCommand(CREATE_USER);
			expect(await signIn("ada")).toBe(200);
			const modes = await inDebian(["stat", "-c", "%a %U:%G", "/etc/weft/weft.env", "/var/lib/weft"], "/").ended;
			expect(modes.stdout).toBe("640 root:weft\n700 weft:weft\n");
			const verify = ["systemd-analyze", "verify", "/etc/systemd/system/weft.service"];
			const verified = await inDebian(verify, "/").ended;
			expect(verified.code, verified.stderr).toBe(0);
			for (const command of upgrade) {
				// The last thing before the end of everything.
				if (command === "systemctl disable --now weft") expect(await signIn("ada")).toBe(200);
				await runCommand(command);
			}
			const left = await Promise.all(["opt", "var/lib", "etc"].map((name) => readdir(join(place, name))));
			expect(left.flat().filter((name) => name.startsWith("weft"))).toEqual(["weft.new"]);
			expect(await readFile(join(place, "etc/passwd"), "utf8")).not.toContain("weft");
		} finally {
			if (service !== null) await stopUnit();
			await debian?.close();
			await rm(place, { recursive: true, force: true });
		}
	});
});
