/** Answers as they come from the service, for formats that the service writes itself. */
import type { RoutePath } from "@weft/contracts";
import { type Call, WeftError } from "@weft/sdk";
import type { Context } from "./context.ts";
import { fetchGuarded } from "./session.ts";

/**
 * The bytes of an answer.
 * @param allowsPages whether it may be a web page, such as a report
 * @throws WeftError for a refusal
 */
export async function openAnswer<C extends RoutePath>(
	context: Context,
	route: C,
	input: Call<C>,
	allowsPages = false,
): Promise<AsyncIterable<Uint8Array>> {
	const client = await context.client();
	const { url, headers } = await client.getRequest(route, input);
	const { body } = input as { body?: unknown };
	const response = await fetchGuarded(
		client.baseUrl,
		context.fetch,
		allowsPages,
	)(url, {
		method: route.method,
		headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	if (!response.ok) throw new WeftError(response, await response.json().catch(() => null), route);
	if (response.body === null) throw new TypeError("the answer has no body");
	return response.body as unknown as AsyncIterable<Uint8Array>;
}

/** Prints an answer as it is. */
export async function printAnswer<C extends RoutePath>(context: Context, route: C, input: Call<C>): Promise<void> {
	for await (const bytes of await openAnswer(context, route, input)) await context.output.sink.write(bytes);
}

/** The lines of an answer, without line breaks. */
export async function* iterateLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
	const decoder = new TextDecoder();
	let rest = "";
	for await (const part of bytes) {
		const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
		rest = lines.pop() ?? "";
		yield* lines;
	}
	if (rest !== "") yield rest;
}
