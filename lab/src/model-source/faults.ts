/** The faults of a publishing site, as switches. */
import type { FaultTable } from "../controller/faults.ts";

export type SourceFault =
	| "missing"
	| "html_page"
	| "bad_gateway_compressed"
	| "server_error"
	| "throttle"
	| "latency"
	| "hang"
	| "reset"
	| "truncated_body"
	| "cut_document"
	| "not_json"
	| "wrong_class"
	| "slow_body";

export const SOURCE_FAULTS: FaultTable<SourceFault> = {
	missing: { about: "a document that is not there", options: { status: 403 } },
	html_page: { about: "200 with an HTML page instead of the document", options: {} },
	bad_gateway_compressed: { about: "502 to requests that accept a compressed answer", options: {} },
	server_error: { about: "an HTML error", options: { status: 503 } },
	throttle: {
		about: "429 above so many requests in a second",
		options: { per_second: 10, retry_after: 1 },
	},
	latency: { about: "answers late", options: { ms: 200 } },
	hang: { about: "never answers", options: {} },
	reset: { about: "resets the connection instead of answering", options: {} },
	truncated_body: { about: "closes the connection in the middle of the body", options: {} },
	cut_document: { about: "half a document, as if it were all", options: {} },
	not_json: { about: "a document that is no JSON", options: {} },
	wrong_class: { about: "the document of another class", options: {} },
	slow_body: { about: "sends the body in pieces with pauses", options: { ms: 20 } },
};
