/** Usernames as they are compared: two that look alike are one. */
export const USERNAME = /^[A-Za-z0-9_.@+-]{3,150}$/;

export function buildUsernameKey(username: string): string {
	return username.normalize("NFKC").toLowerCase();
}
