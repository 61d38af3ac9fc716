/** The API tokens of all users, or of one, for administrators. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { AdminUser } from "@weft/contracts";
import { apiTokenRoutes, userRoutes } from "@weft/contracts/browser";
import { KeySquare, Plus } from "lucide-react";
import { useState } from "react";
import { useAnswer } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { useSearchState } from "../../../platform/search-state.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { Empty, Loaded, Panel } from "../../../ui/page.tsx";
import { PagedList } from "../../../ui/paged-list.tsx";
import { PeopleFrame } from "./frame.tsx";
import { NewToken } from "./new-token.tsx";
import { TokenTable } from "./token-table.tsx";

const route = getRouteApi("/app/tokens");
const SIZE = 50;

export function TokensPage() {
	const [{ page = "1", owner }, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const query = { page, page_size: String(SIZE), owner: owner ?? "all" };
	const answer = useAnswer(apiTokenRoutes.list, { query }, { keepPrevious: true });
	const user = useAnswer(userRoutes.detail, { params: { id: owner ?? "" } }, { enabled: owner !== undefined }).data;
	return (
		<PeopleFrame
			title="API tokens"
			facts={
				<>
					{answer.data && <span>{formatPlural(answer.data.count, "token")}</span>}
					{owner !== undefined && (
						<>
							{user && (
								<span>
									of{" "}
									<Link
										to="/users/$id"
										params={{ id: owner }}
										className="rounded-cell text-accent-text hover:underline"
									>
										{user.username}
									</Link>
								</span>
							)}
							<Link to="/tokens" className="rounded-cell text-accent-text hover:underline">
								All users
							</Link>
						</>
					)}
				</>
			}
			actions={<CopyAs call={() => ({ route: apiTokenRoutes.list, query })} />}
		>
			<PagedList
				answer={answer}
				lines={8}
				page={Number(page)}
				pageSize={SIZE}
				empty={<Empty icon={KeySquare}>No API token.</Empty>}
				onPage={(to) => set({ page: String(to) })}
			>
				{(rows) => <TokenTable of={owner === undefined ? "all" : "account"} rows={rows} />}
			</PagedList>
		</PeopleFrame>
	);
}

/** The tokens of a service account, which administrators create. */
export function AccountTokens({ account, readOnly }: { account: AdminUser; readOnly: boolean }) {
	const [creating, setCreating] = useState(false);
	const input = { params: { id: String(account.id) }, query: { page_size: "100" } };
	const answer = useAnswer(apiTokenRoutes.managedList, input, { enabled: !readOnly });
	return (
		<Panel
			title="API tokens"
			aside={
				!readOnly && (
					<Button icon={Plus} onClick={() => setCreating(true)}>
						New token
					</Button>
				)
			}
		>
			{readOnly ? (
				<Empty>Only a superuser sees the tokens of a superuser.</Empty>
			) : (
				<Loaded answer={answer} lines={3}>
					{({ results }) =>
						results.length === 0 ? (
							<Empty icon={KeySquare}>No API token. Without one, the account cannot be used.</Empty>
						) : (
							<TokenTable of="account" rows={results} />
						)
					}
				</Loaded>
			)}
			{creating && <NewToken account={account} onClose={() => setCreating(false)} />}
		</Panel>
	);
}
