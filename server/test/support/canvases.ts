/** Builders of canvases, and of a connection to the simulated controller. */
import type { RunningController } from "@weft/lab";
import { expect } from "vitest";
import { type Api, waitUntil } from "./harness.ts";

export const RUNS = "/api/queries/pipeline-executions/";
export const QUERIES = "/api/queries/saved-queries/";
export const UNKNOWN = "01890000-0000-7000-8000-000000000000";

export type Node = { id: string; type: string; data?: Record<string, unknown> };
export type Row = Record<string, { attributes: Record<string, string> }>;

export const buildClassNode = (className: string, data: Record<string, unknown> = {}, id = className): Node => ({
	id,
	type: "classNode",
	data: { className, ...data },
});
export const createNameFilter = (value: string, more: Record<string, unknown> = {}, id = "f"): Node => ({
	id,
	type: "filterNode",
	data: { filterType: "property", property: "name", value, ...more },
});
export const output: Node = { id: "out", type: "outputNode" };
export const createEdge = (source: string, target: string, data: Record<string, unknown> = {}) => ({
	id: `${source}-${target}`,
	source,
	target,
	data,
});
export const createPipelineEdge = (source: string, target: string, data: Record<string, unknown> = {}) =>
	createEdge(source, target, { edgeType: "pipeline", ...data });

export const createCanvas = (nodes: readonly Node[], ...edges: readonly ReturnType<typeof createEdge>[]) => ({
	nodes,
	edges,
});
/** Nodes that are wired one after another. */
export const connectNodes = (...nodes: Node[]) => ({
	nodes,
	edges: nodes.slice(1).map((node, i) => createEdge(nodes[i]?.id ?? "", node.id)),
});

export const getAttributes = (row: Row | undefined): Record<string, string> =>
	Object.values(row ?? {})[0]?.attributes ?? {};
export const listDns = (rows: readonly Row[]): string[] => rows.map((row) => getAttributes(row).dn ?? "").sort();

let names = 0;
export async function addConnection(
	api: Api,
	{ url, username, password }: Pick<RunningController, "url" | "username" | "password">,
	more: Record<string, unknown> = {},
): Promise<string> {
	const { status, body, text } = await api.post("/api/controller/connections/", {
		name: `Fabric ${++names}`,
		url,
		username,
		password,
		verify_ssl: false,
		...more,
	});
	expect(status, text).toBe(201);
	return body.id;
}

export async function waitForRun(api: Api, id: string, timeoutMs?: number) {
	return waitUntil(
		"the run has ended",
		async () => {
			const { body } = await api.get(`${RUNS}${id}/`);
			return body.status !== "pending" && body.status !== "running" ? body : null;
		},
		timeoutMs,
	);
}
