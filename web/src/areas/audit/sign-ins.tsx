/** Attempts to sign in, successful and failed, newest first. */
import { getRouteApi } from "@tanstack/react-router";
import { auditRoutes } from "@weft/contracts/browser";
import { LogIn } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { CopyAs } from "../../ui/copy-as.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { Empty } from "../../ui/page.tsx";
import { PagedList } from "../../ui/paged-list.tsx";
import { PeriodFields, toInstants } from "../../ui/period.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { AttemptTable } from "./attempt-table.tsx";
import { AuditFrame } from "./frame.tsx";

const route = getRouteApi("/app/audit/sign-ins");
const SIZE = 50;

export function SignInsPage() {
	const times = useTimes();
	const [{ username = "", ip = "", result, from, to, page = "1" }, set] = useSearchState(
		route.useSearch(),
		route.useNavigate(),
		{ replace: true },
	);
	const query = {
		page,
		page_size: String(SIZE),
		...(username === "" ? {} : { username }),
		...(ip === "" ? {} : { ip }),
		...(result === "ok" || result === "failed"
			? { success: result === "ok" ? ("true" as const) : ("false" as const) }
			: {}),
		...toInstants({ from, to }, times),
	};
	const answer = useAnswer(auditRoutes.loginAttempts, { query }, { keepPrevious: true });
	return (
		<AuditFrame
			title="Sign-ins"
			facts={answer.data && formatPlural(answer.data.count, "attempt")}
			actions={<CopyAs call={() => ({ route: auditRoutes.loginAttempts, query })} />}
		>
			<div className="flex flex-col gap-3">
				<search className="flex flex-wrap gap-2">
					<SearchField
						value={username}
						label="Username"
						onChange={(text) => set({ username: text || undefined, page: undefined })}
					/>
					<SearchField
						mono
						value={ip}
						label="IP address"
						className="w-40"
						onChange={(text) => set({ ip: text || undefined, page: undefined })}
					/>
					<FilterSelect
						label="Result"
						any="Any result"
						value={result}
						options={[
							{ value: "ok", label: "Signed in" },
							{ value: "failed", label: "Failed" },
						]}
						onChange={(value) => set({ result: value, page: undefined })}
					/>
					<PeriodFields from={from} to={to} onChange={(change) => set({ ...change, page: undefined })} />
				</search>
				<PagedList
					answer={answer}
					lines={8}
					page={Number(page)}
					pageSize={SIZE}
					empty={<Empty icon={LogIn}>No attempt matches.</Empty>}
					onPage={(next) => set({ page: String(next) })}
				>
					{(rows) => <AttemptTable rows={rows} withUser />}
				</PagedList>
			</div>
		</AuditFrame>
	);
}
