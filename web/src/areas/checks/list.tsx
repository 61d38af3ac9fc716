/** Checks with their states, the worst first: a matrix of checks and connections. */
import { getRouteApi } from "@tanstack/react-router";
import type { CheckState, FindingSeverity } from "@weft/contracts";
import { CHECK_STATES, checkRoutes, FINDING_SEVERITIES } from "@weft/contracts/browser";
import { LibraryBig, ListChecks, Plus } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { useCommands } from "../../platform/keys.ts";
import { useMay } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { useConnections } from "../../platform/target.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Empty } from "../../ui/page.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { CheckMatrix } from "./matrix.tsx";
import { QueryField } from "./query-field.tsx";
import { useRunsEnding } from "./runs-ending.ts";
import { formatSeverity, formatState } from "./words.tsx";

const route = getRouteApi("/app/checks");
const SIZE = 25;
const EVERY_MS = 60_000;
const NO_FILTER = { q: undefined, state: undefined, severity: undefined, query: undefined, connection: undefined };

export function ChecksPage() {
	const navigate = route.useNavigate();
	const [search, set] = useSearchState(route.useSearch(), navigate, { replace: true });
	const { q = "", state, severity, query: queryId, connection, page = "1" } = search;
	const may = useMay();
	const connections = useConnections().data?.results ?? [];
	const query = {
		page,
		page_size: String(SIZE),
		ordering: "-state" as const,
		...(q === "" ? {} : { search: q }),
		...(isState(state) ? { state } : {}),
		...(isSeverity(severity) ? { severity } : {}),
		...(queryId === undefined ? {} : { query: queryId }),
		...(connection === undefined ? {} : { connection }),
	};
	const answer = useAnswer(checkRoutes.list, { query }, { keepPrevious: true, every: EVERY_MS });
	useRunsEnding();
	const isFiltered = [q, state, severity, queryId, connection].some((value) => value !== undefined && value !== "");
	const canAdd = may("add_check");
	const add = () => void navigate({ to: "/checks/new", search: queryId === undefined ? {} : { query: queryId } });
	useCommands([
		...(canAdd ? [{ id: "checks.new", label: "New check", group: "Checks", keys: "c", run: add }] : []),
		{
			id: "checks.templates",
			label: "Templates of checks",
			group: "Checks",
			run: () => void navigate({ to: "/checks/templates" }),
		},
	]);
	const choose = (change: Partial<typeof search>) => set({ ...change, page: undefined });
	const templates = (
		<ButtonLink icon={LibraryBig} to="/checks/templates">
			Templates
		</ButtonLink>
	);
	const newCheck = canAdd && (
		<Button variant="primary" icon={Plus} onClick={add}>
			New check
		</Button>
	);
	return (
		<ListPage
			title="Checks"
			noun="check"
			crumbs={[{ label: "Observe" }]}
			actions={
				<>
					<CopyAs call={() => ({ route: checkRoutes.list, query })} />
					{templates}
					{newCheck}
				</>
			}
			above={
				<search className="flex flex-wrap items-center gap-2">
					<SearchField value={q} label="Filter checks" onChange={(text) => choose({ q: text || undefined })} />
					<FilterSelect
						label="State"
						any="Any state"
						value={state}
						options={[...CHECK_STATES].reverse().map((value) => ({ value, label: formatState(value) }))}
						onChange={(value) => choose({ state: value })}
					/>
					<FilterSelect
						label="Severity"
						any="Any severity"
						value={severity}
						options={[...FINDING_SEVERITIES].reverse().map((value) => ({ value, label: formatSeverity(value) }))}
						onChange={(value) => choose({ severity: value })}
					/>
					<QueryField
						hideLabel
						label="Query"
						none="Any query"
						value={queryId ?? ""}
						known={answer.data?.results.find(({ saved_query }) => saved_query === queryId)?.query_name}
						onChange={(id) => choose({ query: id || undefined })}
					/>
					<FilterSelect
						label="Connection"
						any="Any fabric"
						value={connection}
						options={connections.map(({ id, name }) => ({ value: id, label: name }))}
						onChange={(value) => choose({ connection: value })}
					/>
					{isFiltered && (
						<Button variant="ghost" onClick={() => choose(NO_FILTER)}>
							Clear the filters
						</Button>
					)}
				</search>
			}
			answer={answer}
			lines={8}
			page={Number(page)}
			pageSize={SIZE}
			empty={
				<Empty
					icon={ListChecks}
					action={
						!isFiltered && (
							<>
								{templates}
								{newCheck}
							</>
						)
					}
				>
					{isFiltered
						? "No check matches the filters."
						: "A check says what the rows of a saved query must be. It is evaluated after each run of the query, " +
							"and notifies you when its state changes."}
				</Empty>
			}
			onPage={(to) => set({ page: String(to) })}
		>
			{(checks) => <CheckMatrix checks={checks} only={connection} />}
		</ListPage>
	);
}

const isState = (text: string | undefined): text is CheckState => CHECK_STATES.some((state) => state === text);
const isSeverity = (text: string | undefined): text is FindingSeverity =>
	FINDING_SEVERITIES.some((severity) => severity === text);
