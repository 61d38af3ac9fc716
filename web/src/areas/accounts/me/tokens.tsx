/** The API tokens of the user. */
import { getRouteApi } from "@tanstack/react-router";
import { apiTokenRoutes } from "@weft/contracts/browser";
import { KeySquare, Plus } from "lucide-react";
import { useAnswer } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { useCommands } from "../../../platform/keys.ts";
import { useSearchState } from "../../../platform/search-state.ts";
import { Button } from "../../../ui/button.tsx";
import { Empty } from "../../../ui/page.tsx";
import { PagedList } from "../../../ui/paged-list.tsx";
import { NewToken } from "../people/new-token.tsx";
import { TokenTable } from "../people/token-table.tsx";
import { MeFrame } from "./frame.tsx";

const route = getRouteApi("/app/me/tokens");
const SIZE = 50;

export function OwnTokensPage() {
	const [{ page = "1", edit }, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const query = { page, page_size: String(SIZE) };
	const answer = useAnswer(apiTokenRoutes.list, { query }, { keepPrevious: true });
	const open = () => set({ edit: "new" });
	useCommands([{ id: "tokens.new", label: "New API token", group: "API tokens", keys: "c", run: open }]);
	return (
		<MeFrame
			wide
			title="API tokens"
			facts={answer.data && formatPlural(answer.data.count, "token")}
			actions={
				<Button variant="primary" icon={Plus} onClick={open}>
					New token
				</Button>
			}
		>
			<p className="m-0 max-w-3xl text-muted">
				With an API token, a pipeline or program acts for you until you revoke the token. It never has more rights than
				you, and cannot change your account.
			</p>
			<PagedList
				answer={answer}
				lines={3}
				page={Number(page)}
				pageSize={SIZE}
				empty={<Empty icon={KeySquare}>No API token. Create one for a pipeline, a script or the command line.</Empty>}
				onPage={(to) => set({ page: String(to) })}
			>
				{(rows) => <TokenTable of="me" rows={rows} />}
			</PagedList>
			{edit === "new" && <NewToken account={null} onClose={() => set({ edit: undefined })} />}
		</MeFrame>
	);
}
