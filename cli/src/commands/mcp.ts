/** `weft mcp`: a Model Context Protocol server on standard input and output. */
import type { Context } from "../context.ts";
import { describeError } from "../errors.ts";
import { addExamples, type Register } from "../frame.ts";

export const registerMcp: Register = (program, run) => {
	const command = program
		.command("mcp")
		.description("Serve read-only tools to a language model (Model Context Protocol, stdio).")
		.action(run(serve));
	addExamples(command, "weft mcp", "WEFT_TOKEN=weft_pat_… WEFT_URL=https://weft.example.com weft mcp");
};

/** Ends when the client closes standard input. A refusal is an answer with `isError`. */
async function serve(context: Context): Promise<void> {
	// Signs in before the protocol begins: the reason of a failure is on standard error.
	await context.client();
	const [{ VERSION }, { McpServer }, { StdioServerTransport }, { TOOLS }] = await Promise.all([
		import("../version.ts"),
		import("@modelcontextprotocol/sdk/server/mcp.js"),
		import("@modelcontextprotocol/sdk/server/stdio.js"),
		import("../mcp/tools.ts"),
	]);
	const server = new McpServer({ name: "weft", version: VERSION });
	for (const { name, description, input, read } of TOOLS) {
		const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
		server.registerTool(name, { description, inputSchema: input, annotations }, async (given) => {
			try {
				return { content: [{ type: "text", text: JSON.stringify(await read(context, given)) }] };
			} catch (error) {
				return { isError: true, content: [{ type: "text", text: describeError(error).message }] };
			}
		});
	}
	const ended = new Promise<void>((resolve) => {
		server.server.onclose = resolve;
		process.stdin.once("end", resolve);
	});
	await server.connect(new StdioServerTransport());
	await ended;
	await server.close();
}
