import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** Threads, a socket on loopback, files and a child process. */
public class Main {
  record Pair(int a, int b) {}

  public static void main(String[] args) throws Exception {
    var pool = Executors.newFixedThreadPool(8);
    List<Future<Integer>> sums =
        IntStream.range(0, 32).mapToObj(i -> pool.submit(() -> IntStream.rangeClosed(0, i).sum())).toList();
    int total = 0;
    for (var sum : sums) total += sum.get();
    pool.shutdown();

    try (var server = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
      var client = new Thread(() -> {
        try (var socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
          socket.getOutputStream().write('x');
        } catch (java.io.IOException error) {
          throw new java.io.UncheckedIOException(error);
        }
      });
      client.start();
      if (server.accept().getInputStream().read() != 'x') throw new AssertionError();
      client.join();
    }
    var file = Files.createTempFile("a", "b");
    Files.writeString(file, "text");
    if (!Files.readString(file).equals("text")) throw new AssertionError();
    var child = new ProcessBuilder("echo", "child").redirectErrorStream(true).start();
    String said = new String(child.getInputStream().readAllBytes()).trim();
    System.out.println("java " + total + " " + said + " " + new Pair(1, 2));
  }
}
