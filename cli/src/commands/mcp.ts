/** `weft mcp`: a Model Context Protocol server on standard input and output. */
import type { Context } from "../context.ts";
import { addExamples, type Register } from "../frame.ts";

export const registerMcp: Register = (program, run) => {
	const command = program
		.command("mcp")
		.description("Serve tools to a language model (Model Context Protocol, stdio).")
		.action(run(serveMcp));
	addExamples(command, "weft mcp", "WEFT_TOKEN=weft_pat_… WEFT_URL=https://weft.example.com weft mcp");
};

/** Ends when the client closes standard input. A refusal is an answer with `isError`. */
async function serveMcp(context: Context): Promise<void> {
	// Signs in before the protocol begins: the reason of a failure is on standard error.
	await context.client();
	const { serveTools } = await import("../mcp/server.ts");
	await serveTools(context);
}
