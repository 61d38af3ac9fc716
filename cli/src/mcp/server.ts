/** Tools over the Model Context Protocol, with progress and cancellation. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { Context } from "../context.ts";
import { buildInputError, describeError } from "../errors.ts";
import { suggestNames } from "../resolve.ts";
import { VERSION } from "../version.ts";
import { readArguments } from "./arguments.ts";
import { TOOLS, type Tool } from "./tools.ts";

/** Serves until the client closes standard input, then ends the runs that it has started. */
export async function serveTools(context: Context): Promise<void> {
	const mcp = new McpServer({ name: "weft", version: VERSION }, { capabilities: { tools: {} } });
	// The low-level handlers: those of McpServer refuse a number that is sent as text.
	const { server } = mcp;
	const open = new Set<Promise<unknown>>();
	server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS.map(describeTool) }));
	server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
		const { name, arguments: given = {}, _meta } = params;
		const progressToken = _meta?.progressToken;
		let progress = 0;
		const report = (message: string) => {
			if (progressToken === undefined || signal.aborted || message === "") return;
			progress += 1;
			// A client that is gone hears of no progress.
			sendNotification({ method: "notifications/progress", params: { progressToken, progress, message } }).catch(
				() => undefined,
			);
		};
		const answer = answerCall(createCallContext(context, signal, report), name, given);
		open.add(answer);
		return answer.finally(() => open.delete(answer));
	});
	const ended = new Promise<void>((resolve) => {
		server.onclose = resolve;
		process.stdin.once("end", resolve);
	});
	await mcp.connect(new StdioServerTransport());
	await ended;
	// This aborts the calls under way, which cancel their runs.
	await mcp.close();
	await Promise.all(open);
}

function describeTool({ name, description, input, output, stores = false }: Tool) {
	return {
		name,
		description,
		inputSchema: buildSchema(z.strictObject(input), "input"),
		outputSchema: buildSchema(z.looseObject(output), "output"),
		annotations: { readOnlyHint: !stores, destructiveHint: false, idempotentHint: !stores, openWorldHint: false },
	};
}

const buildSchema = (schema: z.ZodObject, io: "input" | "output") => ({
	...z.toJSONSchema(schema, { io }),
	type: "object" as const,
});

/** The context of one call: its progress goes to the client, and its cancellation ends its runs. */
function createCallContext(context: Context, signal: AbortSignal, report: (message: string) => void): Context {
	return {
		...context,
		note: report,
		progress: report,
		onInterrupt(handler) {
			if (signal.aborted) throw buildInputError("The call was cancelled.");
			signal.addEventListener("abort", () => void handler(), { once: true });
		},
	};
}

async function answerCall(
	context: Context,
	name: string,
	given: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
	try {
		const tool = TOOLS.find((one) => one.name === name);
		if (tool === undefined) {
			const names = TOOLS.map((one) => one.name);
			throw buildInputError(`There is no tool "${name}".${suggestNames(names, name)}`);
		}
		const answer = await tool.read(context, readArguments(tool.input, given));
		return { content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: { ...answer } };
	} catch (error) {
		return { isError: true, content: [{ type: "text", text: describeError(error).message }] };
	}
}
