# Forked children over pipes, a socket on loopback, and text.
use strict;
use warnings;
use IO::Socket::INET;
use List::Util qw(sum);

my @answers;
for my $n (1 .. 3) {
    my $pid = open(my $from, '-|') // die "fork: $!";
    if (!$pid) { print $n * $n; exit 0 }
    push @answers, <$from>;
    close $from or die "child: $?";
}
print "children @answers\n";

my $server = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') or die "listen: $!";
if (!fork) {
    my $client = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $server->sockport) or die $!;
    print $client "hello\n";
    exit 0;
}
print 'socket ', scalar readline $server->accept;
wait;
my %seen = map { $_ => length } qw(cat ant bee);
print "words @{[sort keys %seen]}\n";
die unless sum(values %seen) == 9;
