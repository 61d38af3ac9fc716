/** The simulated controller and automation server as a process, and bare requests as baselines. */
import { setTimeout as pause } from "node:timers/promises";
import { connectionRoutes, pipelineRoutes } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import { startProgram } from "./child.ts";

export interface Lab {
	readonly url: string;
	readonly username: string;
	readonly password: string;
	/** Addresses of the members of its cluster; the first is `url`. */
	readonly members: readonly string[];
	/** The simulated automation server. */
	readonly automation: { readonly url: string; readonly token: string };
	/** A bare request, signed in; answers the parsed body. */
	ask(path: string): Promise<{ totalCount: string; imdata: unknown[] }>;
	stop(): Promise<void>;
}

/** @param environment further settings of the lab, such as `LAB_LATENCY` */
export async function startLab(
	size: "small" | "medium" | "large",
	environment: Readonly<Record<string, string>> = {},
): Promise<Lab> {
	const { line, stop } = await startProgram("../../lab/dist/main.js", {
		env: { LAB_CONTROLLER_PORT: "0", LAB_MODEL_SOURCE_PORT: "0", LAB_SIZE: size, ...environment },
	});
	const { controller, automation } = JSON.parse(line);
	const { url, username, password, members = [url] } = controller;
	const body = JSON.stringify({ aaaUser: { attributes: { name: username, pwd: password } } });
	const response = await fetch(`${url}/api/aaaLogin.json`, { method: "POST", body });
	const cookie = response.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
	return {
		url,
		username,
		password,
		members,
		automation,
		async ask(path) {
			const answer = await fetch(url + path, { headers: { cookie } });
			return JSON.parse(await answer.text());
		},
		stop,
	};
}

/** Does `count` pieces of work, so many at the same time. */
export async function runAtOnce(
	concurrency: number,
	count: number,
	work: (index: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	async function runWorker(): Promise<void> {
		for (let index = next++; index < count; index = next++) await work(index);
	}
	await Promise.all(Array.from({ length: concurrency }, runWorker));
}

const PAGE = 1_000;
/** Pages that a run reads at once. */
const PAGES_AT_ONCE = 6;

/**
 * The baseline of a run: the first page of a class gives the total, the others follow at once.
 * Returns the number of objects.
 */
export async function readPages(lab: Lab, className: string): Promise<number> {
	const page = (index: number) =>
		lab.ask(`/api/class/${className}.json?order-by=${className}.dn&page=${index}&page-size=${PAGE}`);
	const first = await page(0);
	let objects = first.imdata.length;
	await runAtOnce(PAGES_AT_ONCE, Math.ceil(Number(first.totalCount) / PAGE) - 1, async (index) => {
		const { imdata } = await page(index + 1);
		objects += imdata.length;
	});
	return objects;
}

export async function createConnection(
	client: WeftClient,
	{ url, username, password }: Pick<Lab, "url" | "username" | "password">,
	name = "Lab",
): Promise<string> {
	const body = { name, url, username, password, verify_ssl: false };
	return (await client.call(connectionRoutes.create, { body })).id;
}

/** Runs a canvas to its end. The service's own clock measures it, so polling does not count. */
export async function runCanvas(
	client: WeftClient,
	connection: string,
	flow_data: unknown,
	pauseMs = 1_000,
	post_processors: unknown[] = [],
) {
	const body = {
		flow_data: flow_data as { nodes: []; edges: [] },
		controller_connection_id: connection,
		post_processors,
	};
	const { id } = await client.call(pipelineRoutes.create, { body });
	for (;;) {
		// Polls rarely, to leave the processor to the run.
		await pause(pauseMs);
		const job = await client.call(pipelineRoutes.detail, { params: { id } });
		if (job.status === "pending" || job.status === "running") continue;
		if (job.status !== "completed") throw new Error(JSON.stringify(job.errors));
		return { ms: Date.parse(job.completed_at ?? "") - Date.parse(job.created_at), job };
	}
}
