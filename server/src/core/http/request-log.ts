/**
 * A request's own log. It is created on the first line: most requests log nothing, and a logger
 * costs more than their checks.
 */
import type { FastifyBaseLogger } from "fastify";

type Written = Parameters<FastifyBaseLogger["info"]>;
type Bindings = Parameters<FastifyBaseLogger["child"]>[0];

export class RequestLog implements FastifyBaseLogger {
	readonly #parent: FastifyBaseLogger;
	readonly #bindings: Bindings;
	#made: FastifyBaseLogger | undefined;

	/** @param bindings what each line carries: the request's id */
	constructor(parent: FastifyBaseLogger, bindings: Bindings) {
		this.#parent = parent;
		this.#bindings = bindings;
	}

	get #own(): FastifyBaseLogger {
		this.#made ??= this.#parent.child(this.#bindings);
		return this.#made;
	}

	get level(): string {
		return this.#parent.level;
	}
	get silent() {
		return this.#own.silent;
	}
	fatal(...written: Written): void {
		this.#own.fatal(...written);
	}
	error(...written: Written): void {
		this.#own.error(...written);
	}
	warn(...written: Written): void {
		this.#own.warn(...written);
	}
	info(...written: Written): void {
		this.#own.info(...written);
	}
	debug(...written: Written): void {
		this.#own.debug(...written);
	}
	trace(...written: Written): void {
		this.#own.trace(...written);
	}
	child(...given: Parameters<FastifyBaseLogger["child"]>): FastifyBaseLogger {
		return this.#own.child(...given);
	}
}
