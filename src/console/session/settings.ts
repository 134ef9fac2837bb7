// The settings that the server sends the console before anybody has signed in: GET /console/settings.json.

export interface SignInSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly token: 'access_token' | 'id_token';
}

export interface ConsoleSettings {
  /** Null when no issuer names a client of the console. */
  readonly signIn: SignInSettings | null;
  /** Whether `fairlead console` serves the pages, and adds the token of its login to each request. */
  readonly commandLine: boolean;
}

export async function readSettings(): Promise<ConsoleSettings> {
  const answer = await fetch('/console/settings.json', { cache: 'no-store' });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return (await answer.json()) as ConsoleSettings;
}
