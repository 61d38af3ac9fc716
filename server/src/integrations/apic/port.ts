/**
 * How Weft talks to a fabric's controller (Cisco ACI APIC): paged reads, counts, single requests,
 * records of changes, tests. A driver keeps one session and one socket pool per connection and
 * revision.
 */
import type { MemberState } from "./port-error.ts";
import type { ControllerTestResult, PrivateKeyCheck } from "./port-test-result.ts";

/**
 * Upper bound of a request's encoded path and options, in bytes; a driver rejects longer ones (kind
 * `limit`). The controller's web server refuses request lines above 4 to 8 KB, depending on the
 * release: plan with less.
 */
export const MAX_CONTROLLER_PATH_BYTES = 8_192;

export interface PasswordLogin {
	readonly password: string;
}

/** Each request is signed; there is no session. */
export interface CertificateLogin {
	/** `uni/userext/user-U/usercert-C`, or with `appuser-A`. */
	readonly certificateDn: string;
	/** As `checkPrivateKey` gives it. */
	readonly privateKey: string;
}

export type ControllerTarget = TargetAddress & (PasswordLogin | CertificateLogin);

interface TargetAddress {
	/** The connection's id; one session is kept per id. */
	readonly id: string;
	/** The connection's name, for logs and metrics. */
	readonly name?: string | undefined;
	/**
	 * Changes with the addresses, credentials, verifyTls and timeoutMs; the sessions of an earlier
	 * revision are dropped.
	 */
	readonly revision: string;
	/** http(s) base URL; a path is kept as a prefix of every request. */
	readonly url: string;
	/** Addresses of the other members of the cluster, like `url`. */
	readonly alternateUrls?: readonly string[] | undefined;
	/** The fabric's identity; null or absent: that of the first member that answers. */
	readonly fabricId?: string | null | undefined;
	/** Whether an administrator confirmed that all addresses are one fabric. */
	readonly isOneFabricConfirmed?: boolean | undefined;
	readonly username: string;
	readonly verifyTls: boolean;
	/** SHA-256 fingerprints (`AB:CD:…`) of certificates that are trusted with any issuer. */
	readonly pinnedCertificates?: readonly string[] | undefined;
	/** Limit for one request, from its first byte sent to its last byte read; 5,000 to 300,000. */
	readonly timeoutMs: number;
}

/**
 * Accumulated time and traffic. Overlapping requests count once: `loginMs` and `controllerMs` are
 * the time with at least one request in flight, so their sum is at most the elapsed time.
 */
export interface ControllerTimings {
	loginMs: number;
	controllerMs: number;
	/** Parsing and checking answers. */
	localMs: number;
	/** HTTP requests sent, logins and repetitions included. */
	requests: number;
	/** Bytes of answers read. */
	bytes: number;
}

/**
 * One managed object; its only key is the class name. Nested objects have `rn`, or neither `dn` nor
 * `rn`.
 */
export interface ControllerObject {
	readonly [className: string]: {
		readonly attributes: Readonly<Record<string, string>>;
		readonly children?: readonly ControllerObject[];
	};
}

export interface ControllerPage {
	/** 0, 1, 2 … in the order of delivery. */
	readonly index: number;
	readonly rowCount: number;
	readonly rows: readonly ControllerObject[];
	/** The first rows, at most `count`. Cheaper than `rows`, which may not be parsed yet. */
	first(count: number): readonly ControllerObject[];
	/** The class of all rows, where it is known without reading `rows`; else null. */
	readonly className: string | null;
	/** The controller's latest total of the whole answer; null if it gave none. */
	readonly totalCount: number | null;
	/**
	 * The answer's bytes, known to be JSON; null if `rows` differs from its `imdata` (duplicates
	 * removed).
	 */
	readonly raw: Uint8Array | null;
	/**
	 * True for objects found on a second read because the set changed during the first; they are
	 * outside of the requested order.
	 */
	readonly late: boolean;
}

/**
 * Options of all calls. When `signal` aborts, the call ends at once with kind `cancelled`; an
 * in-flight GET finishes in the background without blocking others. `timings` is updated during the
 * call and may be shared.
 */
export interface ControllerCall {
	readonly signal?: AbortSignal | undefined;
	readonly timings?: ControllerTimings | undefined;
	/**
	 * Called with the address of the member that is asked; again when another one takes over.
	 */
	readonly onMember?: ((url: string) => void) | undefined;
	/**
	 * Addresses of members on which this read has failed. The driver adds to it, and asks none of
	 * them.
	 */
	readonly failedMembers?: Set<string> | undefined;
}

export interface ControllerRequest extends ControllerCall {
	readonly method: "GET" | "POST" | "PUT" | "DELETE";
	/** Starts with `/api/`, with options. */
	readonly path: string;
	/** Sent as JSON; a string is sent as it is. */
	readonly body?: unknown;
}

export interface ControllerAnswer {
	readonly status: number;
	/**
	 * Parsed JSON, or text where the answer is not JSON (`.xml`). JSON is parsed at each access; a
	 * number that a double does not hold is text.
	 */
	readonly data: unknown;
	/** The answer's bytes where it is JSON, in UTF-8. */
	readonly json: Buffer | null;
	/** The answer's bytes where it is not JSON. */
	readonly text: Buffer | null;
	readonly timings: ControllerTimings;
}

export interface ControllerQuery extends ControllerCall {
	/**
	 * Starts with `/api/`; has options except page and page-size. Its order-by counts as `orderBy`.
	 */
	readonly path: string;
	/**
	 * `fvBD.name|desc,fvBD.scope`. The dn is always appended, so that pages do not repeat or lose
	 * objects.
	 */
	readonly orderBy?: string | undefined;
	/** Objects per request, 1 to 100,000; default 1,000. Reduced when the answer is too big. */
	readonly pageSize?: number | undefined;
	/** Stop after so many objects. */
	readonly limit?: number | undefined;
	/**
	 * Most objects will not be read: they may be validated without parsing; `rows` then parses on
	 * access.
	 */
	readonly unread?: boolean | undefined;
	/**
	 * An answer that counts objects and lists none, also when it is repeated, has no objects; without
	 * this it is an error of kind `busy`.
	 */
	readonly allowEmpty?: boolean | undefined;
}

export interface ControllerRows {
	readonly rows: readonly ControllerObject[];
	readonly totalCount: number | null;
	readonly timings: ControllerTimings;
}

/** A record of the controller's own log of changes. */
export interface ControllerChange {
	/** Dn of the object that was changed. */
	readonly dn: string;
	readonly user: string;
	/** Milliseconds since the epoch, by the controller's clock. */
	readonly at: number;
	readonly action: "created" | "modified" | "deleted";
	/** Id of the user's session with the controller; null if the record names none. */
	readonly session: string | null;
	/** Attributes that were changed or set; empty if the record names none. */
	readonly attributes: readonly string[];
}

export interface ControllerChangesQuery extends ControllerCall {
	/**
	 * Milliseconds since the epoch by Weft's clock. The driver moves the window by the controller's
	 * clock skew and widens it by a few seconds.
	 */
	readonly from: number;
	readonly to: number;
	/**
	 * Objects whose records are enough if those of all objects take too many requests; null if they
	 * are not.
	 */
	readonly dns: readonly string[] | null;
	/** Upper bound of requests, at least 2. A login and repetitions do not count. */
	readonly requests: number;
}

export interface ControllerChanges {
	/** Newest first, of other objects, too. */
	readonly records: readonly ControllerChange[];
	/** Whether these are all records of the window, or of `dns`; otherwise the newest ones. */
	readonly complete: boolean;
	/**
	 * Whether the log still has records from before the window. Null if that was not asked, because
	 * each object has a record or no request was left.
	 */
	readonly reachesBack: boolean | null;
	/** The controller's clock minus Weft's, in milliseconds; null if no answer gave a time. */
	readonly clockSkewMs: number | null;
}

/** A change that the driver found while it used a connection with several addresses. */
export interface ClusterChange {
	readonly targetId: string;
	readonly revision: string;
	/** The identity of the fabric, where the target had none. */
	readonly fabricId?: string;
	readonly member?: {
		readonly url: string;
		readonly state: MemberState;
		readonly lastError: string | null;
		/** Milliseconds since 1970. */
		readonly since: number;
	};
}

export interface ControllerDriver {
	/** Reads a private key (PEM) for certificate login, and decrypts it. */
	checkPrivateKey(pem: string, passphrase: string | undefined): PrivateKeyCheck;
	/** Why the settings refuse an address; null if they do not, or if only DNS can tell. */
	refusal(url: string): string | null;
	/**
	 * Logs in once on a new socket and session, without retries; with a certificate, sends one signed
	 * read. Rejects only with kind `cancelled`.
	 */
	test(target: ControllerTarget, signal?: AbortSignal): Promise<ControllerTestResult>;
	/**
	 * One unpaged request, for pass-through. GET is retried on throttling and dropped connections,
	 * other methods only after a refused token. Rejects with ControllerError for every error answer.
	 */
	request(target: ControllerTarget, request: ControllerRequest): Promise<ControllerAnswer>;
	/** The number of objects of a query, from `totalCount` of a page of one object. */
	count(
		target: ControllerTarget,
		query: Pick<ControllerQuery, "path" | "allowEmpty" | keyof ControllerCall>,
	): Promise<number>;
	/**
	 * Every object of a query once, page by page in order, with bounded read-ahead. Ends normally
	 * only if all announced objects were delivered. Leaving the loop early starts no more requests;
	 * in-flight reads finish and are dropped.
	 */
	pages(target: ControllerTarget, query: ControllerQuery): AsyncIterable<ControllerPage>;
	/** All rows of `pages` in memory: for answers known to be small, or with a limit. */
	rows(target: ControllerTarget, query: ControllerQuery): Promise<ControllerRows>;
	/**
	 * Records of who changed what. Rejects with kind `permission` or `rejected` if the controller
	 * does not let this user read them.
	 */
	changes(target: ControllerTarget, query: ControllerChangesQuery): Promise<ControllerChanges>;
	/**
	 * Finds out to which fabric a target with several addresses belongs; `onClusterChange`
	 * has the result. Resolves also without an answer.
	 */
	identify(target: ControllerTarget): Promise<void>;
	/** Calls `listener` with each change of a cluster. */
	onClusterChange(listener: (change: ClusterChange) => void): void;
	/** Drops the sessions of a connection; requests under way still finish. */
	forget(targetId: string): void;
	/** Cancels in-flight requests and closes all sockets. */
	close(): Promise<void>;
}
