/** The timeline of a request: versions, decisions, comments, launches and their results. */
import { Link } from "@tanstack/react-router";
import type { AutomationRequestDetail, RequestHistoryEntry } from "@weft/contracts";
import { automationRequestRoutes, REQUEST_HISTORY_LIMITS } from "@weft/contracts/browser";
import {
	Ban,
	Check,
	CirclePlus,
	CircleX,
	Flag,
	type LucideIcon,
	MessageSquare,
	MessageSquarePlus,
	Pencil,
	PencilLine,
	Play,
	Undo2,
	X,
} from "lucide-react";
import { useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { findProblem } from "../../platform/problem.ts";
import { useTimes } from "../../platform/profile.ts";
import { formatValue } from "../../platform/value-text.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField } from "../../ui/field.tsx";
import { LinkedText } from "../../ui/object-link.tsx";
import { Loaded, Panel, ProblemBanner } from "../../ui/page.tsx";
import { New, Old } from "./changes-view.tsx";
import { formatRowCounts } from "./row-counts.ts";
import { describePath } from "./rows-model.ts";
import { RowsView } from "./rows-table.tsx";
import { ExecutionStatus, RunMode } from "./words.tsx";

type Look = readonly [words: string, icon: LucideIcon];

const ACTIONS: Readonly<Record<RequestHistoryEntry["action"], Look>> = {
	created: ["made the request", CirclePlus],
	changed: ["edited and submitted it", Pencil],
	approved: ["approved it", Check],
	rejected: ["rejected it", X],
	changes_requested: ["requested changes", PencilLine],
	commented: ["commented", MessageSquare],
	launched: ["launched", Play],
	launch_refused: ["was refused the launch", CircleX],
	cancelled: ["cancelled it", Ban],
	ended: ["has ended", Flag],
	rolled_back: ["asked for the rollback", Undo2],
};
/** Interval at which the page of a request is read again, in milliseconds. */
export const POLL_MS = 10_000;
const PAGE_SIZE = 100;
const SHOWN_CHANGES = 20;
/** Shown characters of a digest. */
const DIGEST_START = 12;

/** Reads a page of a request's history. The request's page and its timeline share the answer. */
export const useHistory = (id: string, page = 1) =>
	useAnswer(
		automationRequestRoutes.history,
		{ params: { id }, query: { page: String(page), page_size: String(PAGE_SIZE) } },
		{ keepPrevious: true, every: POLL_MS },
	);

interface HistoryPanelProps {
	readonly request: AutomationRequestDetail;
	readonly canComment: boolean;
}

export function HistoryPanel({ request, canComment }: HistoryPanelProps) {
	const { id, version } = request;
	const [page, setPage] = useState(1);
	const [opened, setOpened] = useState<number | null>(null);
	const answer = useHistory(id, page);
	return (
		<Panel title="History and comments">
			<Loaded answer={answer} lines={3}>
				{({ results, next, previous }) => (
					<>
						<ol aria-label="History" className="m-0 flex list-none flex-col p-3">
							{results.map((entry) => (
								<Entry
									key={`${entry.at} ${entry.action} ${entry.user} ${entry.execution?.id}`}
									{...{ entry, request }}
									onOpen={hasEarlierVersion(entry, version) ? () => setOpened(entry.version) : null}
								/>
							))}
						</ol>
						{(next !== null || previous !== null) && (
							<div className="flex gap-2 px-3 pb-3">
								<Button disabled={previous === null} onClick={() => setPage(page - 1)}>
									Earlier entries
								</Button>
								<Button disabled={next === null} onClick={() => setPage(page + 1)}>
									Later entries
								</Button>
							</div>
						)}
					</>
				)}
			</Loaded>
			{canComment && <NewComment id={id} />}
			{opened !== null && <VersionDialog id={id} version={opened} onClose={() => setOpened(null)} />}
		</Panel>
	);
}

const hasEarlierVersion = ({ action, version }: RequestHistoryEntry, current: number): boolean =>
	(action === "created" || action === "changed") && version < current;

interface EntryProps {
	readonly entry: RequestHistoryEntry;
	readonly request: AutomationRequestDetail;
	readonly onOpen: (() => void) | null;
}

function Entry({ entry, request, onOpen }: EntryProps) {
	const times = useTimes();
	const { at, user, action, version, digest, comment } = entry;
	const [words, Icon] = ACTIONS[action];
	return (
		<li className="group flex gap-3">
			<span className="flex flex-col items-center" aria-hidden="true">
				<span className="flex size-6 shrink-0 items-center justify-center rounded-full bg-sunken text-muted">
					<Icon size={13} />
				</span>
				<span className="w-px flex-1 bg-line group-last:hidden" />
			</span>
			<div className="flex min-w-0 flex-1 flex-col gap-1 pb-3">
				<div className="flex min-h-6 flex-wrap items-center gap-x-2 gap-y-1">
					<span>
						{action === "ended" ? (
							<>
								The job that <b>{user}</b> launched has ended:
							</>
						) : action === "launch_refused" ? (
							<>
								The scheduled launch of <b>{user}</b> was refused:
							</>
						) : (
							<>
								<b>{user}</b> {words}
							</>
						)}
					</span>
					<EntryFacts {...{ entry, request }} />
					{(action === "created" || action === "changed") && <span className="text-muted">version {version}</span>}
					{action === "approved" && digest !== null && (
						<span className="text-muted" title={`SHA-256 of the approved rows: ${digest}`}>
							rows <span className="mono">{digest.slice(0, DIGEST_START)}</span>
						</span>
					)}
					<span className="text-muted text-xs">{times.dateTime(at)}</span>
					{onOpen !== null && <Button onClick={onOpen}>Open version {version}</Button>}
				</div>
				{comment !== "" && (
					<p className="m-0 whitespace-pre-wrap rounded-cell bg-sunken px-2 py-1 [overflow-wrap:anywhere]">
						<LinkedText text={comment} connection={request.target_controller} />
					</p>
				)}
				<EntryChanges {...{ entry, request }} />
			</div>
		</li>
	);
}

const LINK = "min-w-0 rounded-cell font-medium hover:underline [overflow-wrap:anywhere]";

/** Shows the job of an entry with its result, and the other request of a copy or rollback. */
function EntryFacts({
	entry: { action, execution, request: other },
	request: { check_mode },
}: Pick<EntryProps, "entry" | "request">) {
	const counts = execution?.row_counts ? formatRowCounts(execution.row_counts, check_mode) : null;
	return (
		<>
			{execution !== null && (
				<Link to="/automation/executions/$id" params={{ id: execution.id }} className={LINK}>
					{execution.automation_job_id === null ? "an execution" : `job ${execution.automation_job_id}`}
				</Link>
			)}
			{action === "ended" && execution !== null && (
				<>
					<ExecutionStatus status={execution.status} />
					{counts !== null && <span className="num">{counts}</span>}
				</>
			)}
			{other !== null && (
				<span>
					{action === "created" && <span className="text-muted">from </span>}
					<Link to="/automation/requests/$id" params={{ id: other.id }} className={LINK}>
						{other.title}
					</Link>
				</span>
			)}
		</>
	);
}

function EntryChanges({ entry: { changes, changes_total }, request }: Pick<EntryProps, "entry" | "request">) {
	if (changes.length === 0) return null;
	const connection = request.target_controller;
	return (
		<ul aria-label="Changes" className="m-0 flex list-none flex-col gap-0.5 p-0">
			{changes.slice(0, SHOWN_CHANGES).map(({ path, before, after }) => {
				const [old, now] = [formatValue(before), formatValue(after)];
				return (
					<li key={path} className="[overflow-wrap:anywhere]">
						<span className="text-muted">{describePath(path)}:</span>{" "}
						{old === null ? <span className="text-muted">none</span> : <Old text={old} connection={connection} />} →{" "}
						{now === null ? <span className="text-muted">none</span> : <New text={now} connection={connection} />}
					</li>
				);
			})}
			{changes_total > SHOWN_CHANGES && <li>and {formatPlural(changes_total - SHOWN_CHANGES, "more change")}</li>}
		</ul>
	);
}

function NewComment({ id }: { id: string }) {
	const [text, setText] = useState("");
	const add = useAction(() => callRoute(automationRequestRoutes.comment, { params: { id }, body: { text } }), {
		stale: ["automation_requests"],
		onSuccess: () => setText(""),
	});
	const problem = add.error === null ? null : findProblem(add.error);
	return (
		<div className="flex flex-col gap-2 border-line border-t p-3">
			<AreaField
				label="Comment"
				rows={2}
				maxLength={REQUEST_HISTORY_LIMITS.comment}
				value={text}
				error={problem?.fields.text}
				onChange={(event) => setText(event.target.value)}
			/>
			{problem !== null && problem.fields.text === undefined && <ProblemBanner error={add.error} />}
			<div>
				<Button
					icon={MessageSquarePlus}
					busy={add.isPending}
					disabled={text.trim() === ""}
					onClick={() => add.mutate(undefined)}
				>
					Add comment
				</Button>
			</div>
		</div>
	);
}

function VersionDialog({ id, version, onClose }: { id: string; version: number; onClose(): void }) {
	const params = { id, version: String(version) };
	const answer = useAnswer(automationRequestRoutes.version, { params });
	return (
		<Dialog open wide title={`Version ${version}`} onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
			<Loaded answer={answer} lines={4}>
				{(content) => (
					<div className="flex flex-col gap-2">
						<p className="m-0 flex flex-wrap items-center gap-2">
							<RunMode dryRun={content.check_mode} />
							<b>{content.title}</b>
							<span className="text-muted">{content.target_controller_name || content.automation_connection_name}</span>
						</p>
						{content.description !== "" && <p className="m-0 whitespace-pre-wrap">{content.description}</p>}
						<RowsView data={content.input_data} snapshot={content.template_snapshot} outcomes={null} />
					</div>
				)}
			</Loaded>
		</Dialog>
	);
}
