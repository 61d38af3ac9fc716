/** The image of deploy/Containerfile: built, and run without rights on a read-only root. */
import { execFile, execFileSync } from "node:child_process";
import { chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startController } from "@weft/lab";
import { describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { countQuestions, listQuestionFiles } from "../support/gallery-service.ts";
import { TEST_PASSWORD, waitUntil } from "../support/harness.ts";
import { explainWhyNot, isOfTheMachine, openRoot } from "../support/own-root.ts";
import { root } from "../support/packed.ts";
import { LOOPBACK_TARGETS } from "../support/process.ts";

const execute = promisify(execFile);
const TAG = "weft-test";
/** Of the user in the image. */
const USER_ID = 10_001;
const MOST_MB = 350;
const BUILD_MS = 900_000;

const reason = explainWhyNot(["buildah", "mmdebstrap"]);
if (reason !== null) process.stderr.write(`skipped: the container image: ${reason}\n`);

const runBuildah = (...args: string[]) => execFileSync("buildah", args, { encoding: "utf8" }).trim();

interface ImageConfig {
	readonly User: string;
	readonly Env: readonly string[];
	readonly Cmd: readonly string[];
	readonly WorkingDir: string;
	readonly Healthcheck: { readonly Test: readonly string[] };
}

describe.skipIf(reason !== null)("the container", () => {
	it("is small, and serves from a read-only root without rights", { timeout: BUILD_MS }, async ({ skip }) => {
		const script = ["scripts/run.mjs", "container", "--tag", TAG];
		const built = await execute(process.execPath, script, { cwd: root }).catch((error: Error) => {
			if (!isOfTheMachine(error)) throw error;
			process.stderr.write(`skipped: the container image cannot be built here: ${error.message.slice(-1_000)}\n`);
			return skip("the image cannot be built here");
		});
		const size = Number(/^weft-test: (\d+) MB$/m.exec(built.stdout)?.[1]);
		process.stdout.write(`the image has ${size} MB\n`);
		expect(size).toBeLessThanOrEqual(MOST_MB);
		const config: ImageConfig = JSON.parse(runBuildah("inspect", "--type", "image", TAG)).Docker.config;
		expect(config.User).toBe("weft");

		const data = await mkdtemp(join(tmpdir(), "weft-container-data-"));
		await chown(data, USER_ID, USER_ID);
		const made = runBuildah("from", "--pull=never", TAG);
		const lab = await startController({ size: "small" });
		const port = await freePort();
		const environment = [
			...config.Env,
			`WEFT_PORT=${port}`,
			`WEFT_ADMIN_PASSWORD=${TEST_PASSWORD}`,
			...Object.entries(LOOPBACK_TARGETS).map(([name, value]) => `${name}=${value}`),
		];
		const ownRoot = await openRoot(runBuildah("mount", made), { folders: { [data]: "/data" }, isReadOnly: true });
		const service = ownRoot.start(config.Cmd, {
			user: "weft:weft",
			workFolder: config.WorkingDir,
			environment,
		});
		const url = `http://127.0.0.1:${port}`;
		let token = "";
		const call = async (method: string, path: string, body?: unknown) => {
			const answer = await fetch(url + path, {
				method,
				headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			});
			return answer.json();
		};
		try {
			await waitUntil("the service answers", () => fetch(`${url}/api/health/`).catch(() => null), 60_000);
			const pid = service.child.pid ?? 0;
			expect(await readFile(`/proc/${pid}/status`, "utf8")).toMatch(new RegExp(`^Uid:\\s+${USER_ID}\\s`, "m"));
			await expect(writeFile(`/proc/${pid}/root/weft/file`, "")).rejects.toMatchObject({ code: "EROFS" });
			const [, ...healthCheck] = config.Healthcheck.Test;
			const { code, stderr } = await ownRoot.start(healthCheck, { user: "weft:weft", environment }).ended;
			expect(code, stderr).toBe(0);

			({ access: token } = await call("POST", "/api/auth/login/", { username: "admin", password: TEST_PASSWORD }));
			const { username, password } = lab;
			const fabric = { name: "fab-dc1", url: lab.url, username, password };
			const { id } = await call("POST", "/api/controller/connections/", fabric);
			const flow_data = { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] };
			const runs = "/api/queries/pipeline-executions/";
			const run = await call("POST", runs, { flow_data, controller_connection_id: id });
			const ended = await waitUntil("the run has ended", async () => {
				const job = await call("GET", `${runs}${run.id}/`);
				return job.completed_at === null ? null : job;
			});
			expect(ended).toMatchObject({ status: "completed" });
			expect(ended.total_rows).toBeGreaterThan(0);
			expect(await countQuestions(url)).toBe((await listQuestionFiles()).length);
		} finally {
			service.child.kill("SIGTERM");
			const { code, stderr } = await service.ended;
			await ownRoot.close();
			await lab.close();
			runBuildah("rm", made);
			await rm(data, { recursive: true, force: true });
			expect(code, stderr).toBe(0);
		}
	});
});
