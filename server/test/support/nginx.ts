/**
 * A real nginx with the project's own configuration, on free ports. Where it is not installed, the
 * tests report that and skip.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import WebSocket from "ws";
import { freePort } from "./free-port.ts";
import { waitUntil } from "./harness.ts";

const program = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/opt/homebrew/bin/nginx"].find((path) =>
	existsSync(path),
);
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const CONFIGURATION = fileURLToPath(new URL("../../../deploy/nginx.conf", import.meta.url));

/** Why there is no nginx; null where there is. */
export const missing: string | null = program && hasOpenssl ? null : "nginx (and openssl) are not installed";

export interface Nginx {
	/** Address with TLS and a self-signed certificate. */
	readonly url: string;
	readonly plainUrl: string;
	call(
		method: string,
		path: string,
		options?: { body?: string | Buffer; headers?: Record<string, string> },
	): Promise<{ status: number; text: string; headers: Record<string, string | string[] | undefined> }>;
	open(path: string): Promise<WebSocket>;
	log(): string;
	stop(): Promise<void>;
}

/** @param upstreams addresses of processes with the web role, as `127.0.0.1:8080` */
export async function startNginx(upstreams: readonly string[]): Promise<Nginx> {
	const folder = mkdtempSync(join(tmpdir(), "weft-nginx-"));
	const [plain, tls] = [await freePort(), await freePort()];
	const subject = ["-subj", "/CN=localhost", "-days", "2"];
	const out = ["-keyout", join(folder, "weft.key"), "-out", join(folder, "weft.crt")];
	const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
	execFileSync("openssl", ["req", "-x509", "-nodes", ...kind, ...out, ...subject], { stdio: "ignore" });

	// Replaces only the paths and addresses of this machine, each of which must be there.
	let text = readFileSync(CONFIGURATION, "utf8");
	const replace = (from: string, to: string) => {
		if (!text.includes(from)) throw new Error(`deploy/nginx.conf has no "${from}" any more`);
		text = text.replaceAll(from, to);
	};
	replace("/etc/nginx/tls/", `${folder}/`);
	replace("/var/log/nginx/", `${folder}/`);
	replace("/run/nginx.pid", `${folder}/nginx.pid`);
	replace("listen 80 ", `listen 127.0.0.1:${plain} `);
	replace("listen 443 ", `listen 127.0.0.1:${tls} `);
	const server = "server 127.0.0.1:8080 ";
	const end = text.slice(text.indexOf(server) + server.length, text.indexOf(";", text.indexOf(server)));
	replace(`${server}${end};`, upstreams.map((address) => `server ${address} ${end};`).join("\n\t\t"));
	const file = join(folder, "nginx.conf");
	writeFileSync(file, text.replace("worker_processes auto;", "worker_processes 1;\nuser root;"));

	const child: ChildProcess = spawn(program ?? "nginx", ["-p", folder, "-c", file, "-g", "daemon off;"], {
		stdio: ["ignore", "ignore", "pipe"],
	});
	let errors = "";
	child.stderr?.on("data", (chunk) => {
		errors += chunk;
	});
	const url = `https://127.0.0.1:${tls}`;
	const plainUrl = `http://127.0.0.1:${plain}`;
	await waitUntil("nginx answers", async () => {
		if (child.exitCode !== null) throw new Error(`nginx ended: ${errors}`);
		return fetch(`${plainUrl}/nginx-health`).then(
			(answer) => answer.ok,
			() => false,
		);
	});

	return {
		url,
		plainUrl,
		call: (method, path, { body, headers = {} } = {}) =>
			new Promise((resolve, reject) => {
				const options = { method, headers, rejectUnauthorized: false, agent: false } as const;
				const sent = request(url + path, options, (response) => {
					let received = "";
					response.setEncoding("utf8").on("data", (chunk) => {
						received += chunk;
					});
					response.on("end", () =>
						resolve({ status: response.statusCode ?? 0, text: received, headers: response.headers }),
					);
					response.on("error", reject);
				});
				// A body that is too large is answered before it is read.
				sent.on("error", (error: NodeJS.ErrnoException) => error.code !== "EPIPE" && reject(error));
				sent.end(body);
			}),
		async open(path) {
			const socket = new WebSocket(url.replace("https", "wss") + path, { rejectUnauthorized: false });
			await new Promise<void>((resolve, reject) => {
				socket.once("open", () => resolve());
				socket.once("error", reject);
			});
			return socket;
		},
		log: () => readFileSync(join(folder, "access.log"), "utf8"),
		async stop() {
			const ended = new Promise((resolve) => child.once("exit", resolve));
			child.kill("SIGTERM");
			await ended;
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
