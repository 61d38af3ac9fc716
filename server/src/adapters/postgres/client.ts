/**
 * The client of the pools: it prepares statements that come again, and sends what nobody waits for together with what follows. Each
 * message costs its way and the waking of the server's process, which for short statements is most of what they cost.
 */
import pg from "pg";
import { isOutdatedStatement, statementNames } from "./prepared.ts";

/** Before a statement of a transaction: it is kept until the commit, and sent with it. */
export const WITH_COMMIT = "/* with commit */ ";
/** The answer to what is not sent yet. */
const NOTHING = { command: "", rows: [], rowCount: null, fields: [] };

/** A client class for one pool. */
export function clientClass(): new (config?: pg.ClientConfig) => pg.Client {
	const names = statementNames();

	function checked(error: unknown): void {
		if (isOutdatedStatement(error)) names.forget();
	}

	return class extends pg.Client {
		/** "asked" until the first statement, with which its beginning is sent. */
		#transaction: "none" | "asked" | "open" = "none";
		#withCommit: [text: string, values: unknown[]][] = [];

		constructor(config?: pg.ClientConfig) {
			super({ ...config, pipeline: true });
		}

		// biome-ignore lint/suspicious/noExplicitAny: pg declares six forms of it
		override query(text: any, values?: any, callback?: any): any {
			if (text === "begin") {
				this.#transaction = "asked";
				return Promise.resolve(NOTHING);
			}
			if (typeof text === "string" && text.startsWith(WITH_COMMIT)) {
				this.#withCommit.push([text.slice(WITH_COMMIT.length), values]);
				return Promise.resolve(NOTHING);
			}
			if (text === "commit" || text === "rollback") return this.#end(text);
			this.#begin();
			return this.#prepared(text, values, callback);
		}

		#begin(): void {
			this.#sendWithWhatFollows();
			if (this.#transaction !== "asked") return;
			this.#transaction = "open";
			// It fails with its connection. Should it ever do so alone, what follows must not run as if nothing had happened.
			super.query("begin").catch(() => this.connection.stream.destroy());
		}

		async #end(text: "commit" | "rollback"): Promise<unknown> {
			const last = this.#withCommit;
			this.#withCommit = [];
			const empty = this.#transaction === "asked" && (text === "rollback" || last.length === 0);
			if (!empty) this.#begin();
			const answers = text === "commit" ? last.map(([each, values]) => this.#prepared(each, values, undefined)) : [];
			this.#transaction = "none";
			if (empty) return NOTHING;
			const [ended, ...others] = await Promise.allSettled([super.query(text), ...answers]);
			// After one that fails a commit rolls back, and says so instead of failing.
			for (const answer of [...others, ended]) if (answer?.status === "rejected") throw answer.reason;
			return NOTHING;
		}

		// biome-ignore lint/suspicious/noExplicitAny: as above
		#prepared(text: any, values: any, callback: any): any {
			const name = typeof text === "string" && values?.length > 0 ? names.of(text) : undefined;
			if (name === undefined) return super.query(text, values, callback);
			if (callback !== undefined) {
				return super.query({ name, text, values }, (error: Error, result: pg.QueryResult) => {
					checked(error);
					callback(error, result);
				});
			}
			const alone = this.getTransactionStatus() === "I" && this.#transaction === "none";
			return super.query({ name, text, values }).catch((error: unknown) => {
				checked(error);
				if (alone && isOutdatedStatement(error)) return super.query(text, values);
				throw error;
			});
		}

		/** Whatever is asked before the program waits again leaves in one piece. */
		#sendWithWhatFollows(): void {
			const { stream } = this.connection;
			stream.cork();
			process.nextTick(() => stream.uncork());
		}
	};
}
